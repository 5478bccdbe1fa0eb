internal import CallCore
internal import Synchronization

/// An observer that reports room events to scripts, during calls and between them.
final class RoomObserver: Sendable {
    private let identity: Identity
    private let role: Role
    private let events: AsyncStream<FlowEvent>.Continuation
    private let reportsSignals: Bool
    /// The names of the participants of our own role that were reported, nil for an unknown name; each is
    /// reported only once.
    private let reportedRivals = Mutex<Set<String?>>([])
    private let isRejoining = Mutex(false)

    init(_ plan: CallPlan, events: AsyncStream<FlowEvent>.Continuation) {
        identity = plan.identity
        role = plan.role
        reportsSignals = plan.reportsSignals
        self.events = events
    }

    func handle(_ event: RoomEvent, _ changes: [PresenceChange]) {
        if reportsSignals, case .message(let message, _) = event { events.yield(.signal(.received, message)) }
        switch event {
        case .joined(let url, let transport):
            let isAgain = isRejoining.withLock { isRejoining in
                defer { isRejoining = false }
                return isRejoining
            }
            events.yield(.signalingConnected(url: url, transport: transport))
            events.yield(isAgain ? .roomRejoined(identity, role) : .roomJoined(identity, role))
        case .rejoining:
            isRejoining.withLock { $0 = true }
            events.yield(.rejoining)
        case .disconnected(let reason, let retryIn, _):
            events.yield(.signalingDisconnected(reason: reason, retryIn: retryIn))
        case .message(.offer, _):
            if role == .caller { reportRival(nil) }
        case .roomState(_, isPartial: true):
            let warning =
                "the server cannot reach the other nodes of its cluster, so their participants are not visible"
            events.yield(.warning(warning))
        case .offerReduced(let bytes, let limit):
            let warning =
                "the server accepts messages of at most \(limit) bytes, and our offer has \(bytes): "
                + "fewer codecs are offered"
            events.yield(.warning(warning))
        case .roomState, .roomSilent, .peerJoined, .peerLeft, .message, .iceServers, .failed: break
        }
        for change in changes { handle(change) }
    }

    private func handle(_ change: PresenceChange) {
        switch change {
        case .appeared(let participant) where participant.role == role: reportRival(participant)
        case .appeared(let participant): events.yield(.peerJoined(participant))
        case .left(let participant, _), .missing(let participant):
            guard participant.role != role else { return }
            events.yield(.peerLeft(participant))
        case .reappeared, .leftPerhaps: break
        }
    }

    private func reportRival(_ participant: Participant?) {
        let isNew = reportedRivals.withLock { names in
            names.count < PresenceTracker.maximumParticipants && names.insert(participant?.username).inserted
        }
        if isNew { events.yield(.sameRole(participant)) }
    }
}
