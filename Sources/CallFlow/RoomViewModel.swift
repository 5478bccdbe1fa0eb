package import CallCore

/// The room without a call: who is there, and whether one may call.
@MainActor package final class RoomViewModel: ViewModel {
    package struct State: Equatable, Sendable {
        package var identity: Identity
        package var role: Role
        package var isConnected = false
        package var peer: Participant?
        /// Somebody of our own role, who cannot be called.
        package var rival: Participant?
        package var canStartCall = false
        package var controls: CallControls
        /// Where it stands, for people.
        package var sentence = "connecting to the signaling server"
    }

    package enum Action: Hashable, Sendable {
        case startCall, leave
        case setMuted(Bool), setCameraOff(Bool)
    }

    package nonisolated let store: StateStore<State>
    private let inputs: AsyncStream<RoomInput>.Continuation
    private var lost: String?

    init(plan: CallPlan, controls: CallControls, inputs: AsyncStream<RoomInput>.Continuation) {
        self.inputs = inputs
        store = StateStore(State(identity: plan.identity, role: plan.role, controls: controls))
    }

    package nonisolated func send(_ action: Action) {
        let command: CallCommand =
            switch action {
            case .startCall: .startCall
            case .leave: .leave
            case .setMuted(let isMuted): .setMuted(isMuted)
            case .setCameraOff(let isOff): .setCameraOff(isOff)
            }
        store.update { $0.controls.apply(command) }
        inputs.yield(.command(command))
    }

    /// Waits until there is a call to hold or a reason to go; nil when cancelled.
    func run(_ waiting: inout CallWaiting, in room: inout RoomSession) async -> CallWaiting.Decision? {
        show(waiting, room.knowledge)
        if let decision = waiting.begin(room.knowledge) { return decision }
        while let input = await room.next() {
            note(input, in: room)
            if let farewell = waiting.farewell(after: input, room.knowledge) { room.send(farewell) }
            let decision = waiting.handle(input, &room.knowledge)
            show(waiting, room.knowledge)
            if let decision { return decision }
        }
        return nil
    }

    private func note(_ input: RoomInput, in room: RoomSession) {
        switch input {
        case .command(.setMuted(let isMuted)): room.setMuted(isMuted)
        case .command(.setCameraOff(let isOff)): room.setCameraOff(isOff)
        case .room(.joined, _): lost = nil
        case .room(.disconnected(let reason, let retryIn, _), _):
            let again = retryIn.map { ", trying again in \(DurationText(seconds: $0))" }
            lost = "connection to the signaling server lost (\(reason))\(again ?? "")"
        case .room, .command, .attempt, .timer, .mediaPrepared: break
        }
    }

    private func show(_ waiting: CallWaiting, _ room: RoomKnowledge) {
        store.update { state in
            state.isConnected = room.isConnected
            state.peer = room.peer
            state.rival = room.rival
            state.canStartCall = state.role == .caller && room.isConnected && room.peer != nil
            state.sentence = sentence(state, waiting)
        }
    }

    private func sentence(_ state: State, _ waiting: CallWaiting) -> String {
        guard state.isConnected else { return lost ?? "connecting to the signaling server" }
        guard let peer = state.peer else {
            guard let rival = state.rival else { return "waiting for a peer in room \(state.identity.room)" }
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
