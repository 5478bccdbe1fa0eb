package import Basics
internal import CallCore

/// The view model of the room between calls: its participants, and whether one can be called.
@MainActor package final class RoomViewModel: ViewModel {
    package typealias State = RoomState

    package nonisolated let store: StateStore<RoomState>
    private let router: CommandRouter
    private var lost: String?
    /// Whether the room has been joined since the last call of `connecting(as:)`.
    private(set) var wasConnected = false
    /// The reason to show at the next update, together with the current participants.
    private var pendingReason: RoomState.ReturnReason?

    init(_ state: RoomState, router: CommandRouter) {
        self.router = router
        store = StateStore(state)
    }

    /// Sends a command if the state allows it; a call that was declined can no longer be answered.
    package nonisolated func send(_ command: CallsCommand) {
        guard store.state.allows(command) else { return }
        // The call itself ends later, when the caller has confirmed the decline or its time limit has
        // expired.
        if command == .decline { store.update { $0.ring = nil } }
        switch command {
        case .setMuted, .setCameraOff: store.update { $0.controls.apply(command) }
        default: break
        }
        router.send(command)
    }

    /// Sets whether the next call is answered without asking the user; ignored while `RoomState.canArm` is false.
    package nonisolated func setArmed(_ isArmed: Bool) {
        store.update { if $0.canArm { $0.isArmed = isArmed } }
    }

    /// Returns whether the next call is answered without asking the user, and resets this setting.
    func disarm() -> Bool {
        let wasArmed = store.state.isArmed
        store.update { $0.isArmed = false }
        return wasArmed
    }

    /// Returns the command of a key, or nil if it has none.
    ///
    /// The window asks for a confirmation before it sends the command of Esc.
    package nonisolated func command(of key: Shortcut) -> CallsCommand? {
        let state = store.state
        return switch key {
        case .m: .setMuted(!state.controls.isMuted)
        case .v: .setCameraOff(!state.controls.isCameraOff)
        case .q, .escape: state.isManaged ? nil : .quit
        case .plus, .minus: state.isManaged ? nil : .changeVolume(isLouder: key == .plus)
        case .p: nil
        }
    }

    /// Shows that the room is not joined, and removes the peer.
    func disconnected(_ loss: RoomLoss?, role: Role) {
        let pending = pendingReason
        (lost, pendingReason) = (nil, nil)
        store.update { state in
            if let pending { state.returnReason = pending }
            state.role = role
            state.connection = .disconnected(loss)
            state.earlierLoss = nil
            state.peer = nil
            state.rival = nil
            state.isPresenceUnknown = false
            state.isPartial = false
            state.start = .unavailable
            state.isArmed = false
            state.ring = nil
            if loss != nil { state.returnReason = state.missedCall }
            state.sentence = loss?.sentence ?? "not connected"
        }
    }

    func connecting(as role: Role) {
        wasConnected = false
        store.update { state in
            state.role = role
            // Without an automatic retry, the user has reacted to the loss, so it is not shown any more.
            state.earlierLoss = state.loss?.retryIn == nil ? nil : state.loss
            state.connection = .connecting
            state.returnReason = state.missedCall
            state.sentence = "connecting to the signaling server"
        }
    }

    /// Shows the room again after a call or after waiting for one.
    func returned(_ reason: RoomState.ReturnReason?, controls: CallControls) {
        pendingReason = reason
        store.update { state in
            state.ring = nil
            state.controls = controls
        }
    }

    func rings(_ ring: RoomState.Ring?) {
        store.update { $0.ring = ring }
    }

    /// Records the changes of connection and participants that an input reports; called before `show`.
    func note(_ input: RoomInput, _ room: PresenceTracker) {
        switch input {
        case .room(.joined, _): lost = nil
        case .room(.disconnected(let reason, let retryIn, _), _):
            let again = retryIn.map { ", trying again in \(DurationText(seconds: $0))" }
            lost = "connection to the signaling server lost (\(reason))\(again ?? "")"
        // The server reports each participant to a newcomer, and also to a client that rejoins deliberately.
        case .room(.peerJoined, _):
            if !room.isRejoining { store.update { $0.returnReason = $0.missedCall } }
        case .room, .command, .attempt, .timer, .mediaPrepared, .ownMedia: break
        }
    }

    /// Shows the participants of the room, and whether a call can begin.
    func show(_ waiting: CallTrigger, _ room: PresenceTracker) {
        store.update { state in
            state.returnReason = pendingReason ?? state.returnReason
            // During a rejoin, the screen does not change.
            guard !room.isRejoining || !state.isConnected else { return }
            state.connection = room.isConnected ? .connected : .connecting
            if room.isConnected { state.earlierLoss = nil }
            state.peer = room.peer
            state.rival = room.rival
            state.isPresenceUnknown = room.isConnected && room.mayHoldUnreportedPeer(trustsNoLeaving: false)
            state.isPartial = room.isConnected && room.isPartial
            state.start = start(state)
            state.sentence = sentence(state, waiting)
        }
        pendingReason = nil
        wasConnected = wasConnected || room.isConnected
    }

    private func start(_ state: RoomState) -> RoomState.Start {
        guard state.isConnected else { return .unavailable }
        switch state.role {
        case .caller: return state.peer != nil ? .call : state.isPresenceUnknown ? .callAnyway : .unavailable
        case .callee: return state.isManaged && state.peer != nil ? .awaitOffer : .unavailable
        }
    }

    private func sentence(_ state: RoomState, _ waiting: CallTrigger) -> String {
        guard state.isConnected else { return lost ?? "connecting to the signaling server" }
        guard let peer = state.peer else {
            guard let rival = state.rival else {
                let limitation =
                    state.isPresenceUnknown ? ", whose server does not report who is present" : ""
                return "waiting for a peer in room \(state.identity.room)\(limitation)"
            }
            return "\(rival.username) is also \(state.role.rawValue): one of you must switch"
        }
        guard waiting.isPrepared else { return "\(peer.username) is here, our media is being prepared" }
        switch state.role {
        case .callee: return "waiting for the offer of \(peer.username)"
        case .caller:
            if let redial = waiting.redial, waiting.isSpent {
                return "the call failed, calling \(peer.username) again in \(DurationText(redial))"
            }
            return waiting.isSpent
                ? "the call is over, \(peer.username) is still here" : "\(peer.username) is here"
        }
    }
}
