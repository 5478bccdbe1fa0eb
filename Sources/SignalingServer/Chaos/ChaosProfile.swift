/// In which way a server misbehaves, and how often.
package struct ChaosProfile: Hashable, Sendable {
    /// As it is written on the command line: `lossy`, or `lossy:0.3`.
    package let text: String
    /// For events of each kind; those of others are left alone.
    var faults: [ChaosEvent: FaultProbabilities] = [:]
    /// How late an event comes, in milliseconds.
    var delay = 100...1500
    /// How probable it is that a newcomer is told nothing of who is there.
    var silence = 0.0
    /// How probable it is that a newcomer's socket is closed soon.
    var closeAfterJoin = 0.0
    /// How soon, in milliseconds.
    var closeDelay = 0...2000

    init(text: String) { self.text = text }

    /// Reads a profile's name, alone or with the probability of its misdeeds behind a colon.
    ///
    /// - Throws: `ChaosProfileError`.
    package init(_ text: String) throws(ChaosProfileError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first.flatMap({ ChaosName(rawValue: String($0)) }) else {
            throw .unknown(String(text.unicodeScalars.prefix(80)))
        }
        guard parts.count == 2 else {
            self = name.profile(name.chance, text: name.rawValue)
            return
        }
        guard let chance = Double(parts[1]), (0...1).contains(chance) else {
            throw .chance(String(parts[1].unicodeScalars.prefix(80)))
        }
        self = name.profile(chance, text: "\(name.rawValue):\(chance)")
    }

    /// The same faults for each of these kinds of events.
    mutating func set(
        _ fault: WritableKeyPath<FaultProbabilities, Double>,
        _ chance: Double,
        of events: [ChaosEvent]
    ) {
        for event in events { faults[event, default: FaultProbabilities()][keyPath: fault] = chance }
    }
}
