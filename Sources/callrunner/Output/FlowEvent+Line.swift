internal import CallCore
internal import CallFlow

extension FlowEvent {
    /// What a person should still read when the live line has gone on; nil for all else.
    var line: (sentence: String, style: Style)? {
        switch self {
        case .signalingDisconnected(let reason, _): ("the signaling connection is lost: \(reason)", .dim)
        case .roomJoined(let identity, let role):
            ("in room \(identity.room) as \(identity.username), \(role.rawValue)", .plain)
        case .sameRole(let participant):
            ("\(participant?.username ?? "the peer") has the same role: one of you must switch", .failure)
        case .call(let report): report.line
        case .signalingConnected, .peerJoined, .peerLeft, .error: nil
        }
    }
}

extension CallReport {
    fileprivate var line: (sentence: String, style: Style)? {
        switch self {
        case .state(.retrying(let retry)): ("attempt failed: \(retry.reason)", .failure)
        case .ended(let summary): ("call ended: \(summary.message)", .emphasis)
        default: nil
        }
    }
}
