/// The state of the search for a network path between the peers, shared by the attempts of a call.
struct Route: Hashable, Sendable {
    private static let maximumRenewals = 5
    /// The time in milliseconds within which ICE counts as having found a path immediately.
    private static let atOnce = 1000

    /// Whether the last attempt that found a path did so immediately, and no local address has changed since.
    private var isQuick = false
    private var renewals = 0

    /// The time within which an attempt should find a path, counted from the exchange of descriptions.
    ///
    /// It is nil if the last path was not found immediately, and after five attempts in a row that exceeded
    /// it.
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

    /// Counts an attempt that was replaced because it did not find a path in time.
    mutating func renew() { renewals += 1 }

    mutating func connect() { renewals = 0 }
}
