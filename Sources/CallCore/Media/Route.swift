/// How the way between both peers was found, over the attempts of a call.
struct Route: Hashable, Sendable {
    private static let maximumRenewals = 5
    /// What ICE takes where the way is known to be there and short, in milliseconds.
    private static let atOnce = 1000

    /// Whether the last attempt that found it did so at once, and no address has changed since.
    private var isQuick = false
    private var renewals = 0

    /// By when an attempt should have found it; nil where nobody can tell.
    var patience: Duration? {
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

    /// An attempt was begun anew because it did not find it.
    mutating func renew() { renewals += 1 }

    mutating func connect() { renewals = 0 }
}
