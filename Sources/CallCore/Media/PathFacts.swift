/// The ICE candidates of both sides in one attempt, and the progress that ICE made with them.
package struct PathFacts: Hashable, Sendable {
    /// The number of candidates of each type (RFC 8839 §5.1).
    package struct Candidates: Hashable, Sendable {
        package var host = 0
        /// The number of host candidates whose address is an mDNS name; `host` does not include them.
        package var named = 0
        /// The number of server-reflexive and peer-reflexive candidates.
        package var reflexive = 0
        package var relay = 0

        package init() {}

        package var count: Int { host + named + reflexive + relay }

        mutating func add(_ candidate: String) {
            guard let line = CandidateLine(candidate), let type = line.type else { return }
            switch type {
            case "host" where line.address.hasSuffix(".local"): named += 1
            case "host": host += 1
            case "srflx", "prflx": reflexive += 1
            case "relay": relay += 1
            default: break
            }
        }
    }

    package var local = Candidates()
    package var remote = Candidates()
    /// Whether ICE found a path.
    package var hasPath = false
    /// Whether ICE and DTLS connected, so that media could flow.
    package var wasConnected = false

    /// The reason why the configured TURN servers provided no relay; nil if none is known.
    package var relayProblem: String?

    package init() {}

    /// Adds the candidates that a session description of the peer contains.
    mutating func addRemote(of description: SessionDescription) {
        for candidate in description.candidates { remote.add(candidate) }
    }

    mutating func add(_ event: MediaEvent) {
        switch event {
        case .localCandidate(let candidate): local.add(candidate.candidate)
        case .iceConnected: hasPath = true
        case .connected: wasConnected = true
        case .relaysFailed(let problem): relayProblem = problem
        case .iceSelected, .firstPacket, .firstFrame, .statistics, .stalled, .addressLost,
            .addressGained, .sourceEnded, .failed:
            break
        }
    }
}

extension PathFacts: CustomStringConvertible {
    /// A text such as “local: 3 host candidates; remote: 2 mDNS-named candidates”.
    package var description: String { "local: \(local); remote: \(remote)" }
}

extension PathFacts.Candidates: CustomStringConvertible {
    package var description: String {
        let kinds = [
            (host, "host"), (named, "mDNS-named"), (reflexive, "server-reflexive"), (relay, "relayed"),
        ]
        let parts = kinds.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        if parts.isEmpty { return "no candidates" }
        return parts.joined(separator: " and ") + (count == 1 ? " candidate" : " candidates")
    }
}
