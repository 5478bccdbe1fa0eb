/// The search for the path between both peers, over the attempts of a call.
struct Route: Hashable, Sendable {
    private static let maximumRenewals = 5
    /// The maximum time in milliseconds for ICE to find a short path that is known to exist.
    private static let atOnce = 1000

    /// Whether the last attempt that found the path did so at once, and no address has changed since.
    private var isQuick = false
    private var renewals = 0

    /// The time within which an attempt should find the path; nil if it is unpredictable.
    var timeout: Duration? {
        guard isQuick, renewals < Self.maximumRenewals else { return nil }
        return .milliseconds(2500 + 1250 * renewals)
    }

    mutating func note(_ end: AttemptEnd, _ times: CallSetup) {
        if let answer = times.answer, let ice = times.ice { isQuick = ice - answer <= Self.atOnce }
        switch end {
        case .addressLost, .addressGained: isQuick = false
        case .stopped, .unanswered, .givenUp, .stalled, .timedOut, .peerLost, .failed: break
        }
    }

    /// Counts an attempt that was replaced because it did not find the path.
    mutating func renew() { renewals += 1 }

    mutating func connect() { renewals = 0 }
}
