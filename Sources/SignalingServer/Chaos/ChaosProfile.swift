/// The faults that a server injects, and their probabilities.
package struct ChaosProfile: Hashable, Sendable {
    /// The profile in the form of the command line, such as `lossy` or `lossy:0.3`.
    package let text: String
    /// The fault probabilities by kind of event; kinds without an entry get no faults.
    var faults: [ChaosEvent: FaultProbabilities] = [:]
    /// The range from which the delay of an event is drawn, in milliseconds.
    var delay = 100...1500
    /// The probability that a new member does not receive the list of the room's members.
    var silence = 0.0
    /// The probability that a new member's socket is closed soon after it joins.
    var closeAfterJoin = 0.0
    /// The range from which the delay before closing a new member's socket is drawn, in milliseconds.
    var closeDelay = 0...2000

    init(text: String) { self.text = text }

    /// Parses a profile's name, optionally followed by a colon and the probability of its faults.
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

    /// Sets the probability of a fault for several kinds of events.
    mutating func set(
        _ fault: WritableKeyPath<FaultProbabilities, Double>,
        _ chance: Double,
        of events: [ChaosEvent]
    ) {
        for event in events { faults[event, default: FaultProbabilities()][keyPath: fault] = chance }
    }
}
