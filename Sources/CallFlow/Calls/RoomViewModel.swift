internal import CallCore

/// The room without a call: who is there, and whether one may call.
@MainActor package final class RoomViewModel: ViewModel {
    package typealias State = RoomState

    package enum Action: Hashable, Sendable {
        case setCaller(Bool)
        /// Takes the other role, and joins the room with it.
        case switchRole
        /// Also to try again before the countdown ends.
        case connect
        /// Also ends the attempt to connect, and the countdown to the next one.
        case disconnect
        case startCall
        /// What is said to one who calls while the room is shown.
        case accept, decline
        case logout
        case setMuted(Bool), setCameraOff(Bool)
        /// Leaves the room, and ends the run.
        case quit
    }

    package nonisolated let store: StateStore<RoomState>
    private let outlet: CommandRouter
    private var lost: String?
    /// Whether the room has been joined since `connecting(as:)`.
    private(set) var wasConnected = false
    /// What is told together with who is there now.
    private var untoldNews: RoomState.News?

    init(_ state: RoomState, outlet: CommandRouter) {
        self.outlet = outlet
        store = StateStore(state)
    }

    package nonisolated func send(_ action: Action) {
        guard let command = command(action) else { return }
        if case .call(let command) = command { store.update { $0.controls.apply(command) } }
        // The call itself ends once the caller has heard of it, or might have.
        if action == .decline { store.update { $0.ring = nil } }
        outlet.send(command)
    }

    /// Nil for what the state does not allow: a second click finds the button disabled.
    private nonisolated func command(_ action: Action) -> AppCommand? {
        let state = store.state
        switch action {
        case .setCaller(let isCaller):
            return state.canChangeRole ? .setRole(isCaller ? .caller : .callee) : nil
        case .switchRole: return state.isManaged && state.ring == nil ? .switchRole : nil
        case .connect:
            guard state.isManaged, case .disconnected = state.connection else { return nil }
            return .connect
        case .disconnect:
            if case .disconnected(let loss) = state.connection, loss?.retryIn == nil { return nil }
            return state.isManaged ? .disconnect : nil
        case .startCall: return state.canStartCall ? .call(.startCall) : nil
        case .accept: return state.ring == nil ? nil : .call(.accept)
        case .decline: return state.ring == nil ? nil : .call(.decline)
        case .logout: return state.isManaged ? .logout : nil
        case .setMuted(let isMuted): return .call(.setMuted(isMuted))
        case .setCameraOff(let isOff): return .call(.setCameraOff(isOff))
        case .quit: return .quit
        }
    }

    /// The room is not joined, or not any more; nobody is known to be there.
    func disconnected(_ loss: RoomLoss?, role: Role) {
        (lost, untoldNews) = (nil, nil)
        store.update { state in
            state.role = role
            state.connection = .disconnected(loss)
            state.earlierLoss = nil
            state.peer = nil
            state.rival = nil
            state.isUntold = false
            state.isPartial = false
            state.start = .unavailable
            state.ring = nil
            if loss != nil { state.news = nil }
            state.sentence = loss?.sentence ?? "not connected"
        }
    }

    func connecting(as role: Role) {
        wasConnected = false
        store.update { state in
            state.role = role
            // What is not tried again by itself somebody has just done something about.
            state.earlierLoss = state.loss?.retryIn == nil ? nil : state.loss
            state.connection = .connecting
            state.news = nil
            state.sentence = "connecting to the signaling server"
        }
    }

    /// Back from a call, or from waiting for one.
    func returned(_ news: RoomState.News?, controls: CallControls) {
        untoldNews = news
        store.update { state in
            state.ring = nil
            state.controls = controls
        }
    }

    func rings(_ ring: RoomState.Ring?) {
        store.update { $0.ring = ring }
    }

    /// Waits until there is a call to hold or a reason to go; nil when cancelled.
    ///
    /// A peer is waited for `peerTimeout` at most, from having joined the room on.
    func run(
        _ waiting: inout CallTrigger,
        in room: inout RoomSession,
        peerTimeout: Duration? = nil
    ) async -> CallTrigger.Decision? {
        show(waiting, room.knowledge)
        if let decision = waiting.begin(room.knowledge) { return decision }
        var untimed = peerTimeout
        while true {
            if let limit = untimed, room.knowledge.isConnected {
                room.start(.peer, limit)
                untimed = nil
            }
            guard let input = await room.next() else { return nil }
            note(input, in: room)
            if let farewell = waiting.farewell(after: input, room.knowledge) { room.send(farewell) }
            let decision = waiting.handle(input, &room.knowledge)
            show(waiting, room.knowledge)
            if let decision { return decision }
        }
    }

    private func note(_ input: RoomInput, in room: RoomSession) {
        switch input {
        case .command(.setMuted(let isMuted)): room.setMuted(isMuted)
        case .command(.setCameraOff(let isOff)): room.setCameraOff(isOff)
        case .room(.joined, _): lost = nil
        case .room(.disconnected(let reason, let retryIn, _), _):
            let again = retryIn.map { ", trying again in \(DurationText(seconds: $0))" }
            lost = "connection to the signaling server lost (\(reason))\(again ?? "")"
        // A newcomer is told of everybody, and so is one that rejoins on purpose.
        case .room(.peerJoined, _):
            if !room.knowledge.isRejoining { store.update { if !$0.isCallMissed { $0.news = nil } } }
        case .room, .command, .attempt, .timer, .mediaPrepared, .ownMedia: break
        }
    }

    private func show(_ waiting: CallTrigger, _ room: PresenceTracker) {
        store.update { state in
            state.news = untoldNews ?? state.news
            // Until the room is rejoined it looks as it did.
            guard !room.isRejoining || !state.isConnected else { return }
            state.connection = room.isConnected ? .connected : .connecting
            if room.isConnected { state.earlierLoss = nil }
            state.peer = room.peer
            state.rival = room.rival
            state.isUntold = room.isConnected && room.mayHoldUntoldPeer(trustsNoLeaving: false)
            state.isPartial = room.isConnected && room.isPartial
            state.start = start(state)
            state.sentence = sentence(state, waiting)
        }
        untoldNews = nil
        wasConnected = wasConnected || room.isConnected
    }

    private func start(_ state: RoomState) -> RoomState.Start {
        guard state.isConnected else { return .unavailable }
        switch state.role {
        case .caller: return state.peer != nil ? .call : state.isUntold ? .callAnyway : .unavailable
        case .callee: return state.isManaged && state.peer != nil ? .awaitOffer : .unavailable
        }
    }

    private func sentence(_ state: RoomState, _ waiting: CallTrigger) -> String {
        guard state.isConnected else { return lost ?? "connecting to the signaling server" }
        guard let peer = state.peer else {
            guard let rival = state.rival else {
                let untold = state.isUntold ? ", whose server does not tell who is here" : ""
                return "waiting for a peer in room \(state.identity.room)\(untold)"
            }
            return "\(rival.username) is also \(state.role.rawValue): one of you must switch"
        }
        guard waiting.isPrepared else { return "\(peer.username) is here, preparing media" }
        switch state.role {
        case .callee: return "\(peer.username) is here, waiting for the offer"
        case .caller:
            if let redial = waiting.redial, waiting.isSpent {
                return "the call failed, calling \(peer.username) again in \(DurationText(redial))"
            }
            return waiting.isSpent
                ? "the call is over, \(peer.username) is still here" : "\(peer.username) is here"
        }
    }
}
