internal import Basics
internal import CallCore

// The commands whose result a button or a script waits for.

extension CallsFlow {
    /// Performs a command if the current screen allows it.
    ///
    /// - Throws: `ControlRefusal`, whose code is `no-room`, `no-call`, `in-call`, `no-peer`, `not-ringing`,
    ///   `bad-command`, or the raw value of a `MediaRefusal.Reason`.
    package nonisolated func perform(_ command: CallsCommand) async throws(ControlRefusal) -> ControlAnswer {
        try await perform(command, on: currentScreen)
    }

    nonisolated func perform(
        _ command: CallsCommand,
        on screen: CallsScreen
    ) async throws(ControlRefusal) -> ControlAnswer {
        switch command {
        case .setMuted, .setCameraOff:
            if case .login = screen { throw .noRoom }
            // Performed directly, because the screen might perform it after a command that follows.
            controls.perform(command)
        case .call(.accept), .call(.decline): try answer(command, on: screen)
        case .call(.startCall): try startCall(on: screen)
        case .call(.hangUp): try call(on: screen).send(command)
        case .call(.leave), .quit: leave()
        case .startRecording, .stopRecording, .takeSnapshot, .select:
            _ = try call(on: screen)
            let answer = try await controls.carryOut(command)
            if case .select(let id, let kind) = command, case .device(let name) = answer {
                let isStandard = id == MediaDevice.standard
                settings.send(.setDevice(isStandard ? nil : MediaDevice(kind, id: id, name: name), kind))
            }
            return answer
        case .changeVolume: controls.perform(command)
        case .listDevices: return .devices(await controls.devices())
        case .status: return .status(status(of: screen))
        case .proceed, .setRole, .switchRole, .visit, .connect, .disconnect, .logout:
            throw ControlRefusal(code: "bad-command", message: "this command is not available to scripts")
        }
        return .done
    }

    /// Returns the current call, or throws if there is none.
    private nonisolated func call(on screen: CallsScreen) throws(ControlRefusal) -> CallViewModel {
        guard case .call(let call) = screen, call.store.state.summary == nil else { throw .noCall }
        return call
    }

    /// Accepts or declines an incoming call, on the Room or on the Call screen.
    private nonisolated func answer(
        _ command: CallsCommand,
        on screen: CallsScreen
    ) throws(ControlRefusal) {
        guard status(of: screen).canAnswer else {
            throw ControlRefusal(code: "not-ringing", message: "there is no incoming call to answer")
        }
        switch screen {
        case .login: break
        case .room(let room): room.send(command)
        case .call(let call): call.send(command)
        }
    }

    private nonisolated func startCall(on screen: CallsScreen) throws(ControlRefusal) {
        switch screen {
        case .room(let room) where room.store.state.ring != nil:
            throw ControlRefusal(
                code: "in-call",
                message: "there is an incoming call: answer or decline it first"
            )
        case .room(let room) where room.store.state.canStartCall: room.send(.startCall)
        case .room(let room):
            let why = room.store.state.sentence
            throw ControlRefusal(code: "no-peer", message: "a call cannot be started now: \(why)")
        case .login: throw .noRoom
        case .call: throw ControlRefusal(code: "in-call", message: "there is a call already")
        }
    }

    private nonisolated func status(of screen: CallsScreen) -> ControlStatus {
        switch screen {
        case .login: return ControlStatus(state: "login")
        case .room(let room):
            let state = room.store.state
            let peer = state.peer?.username ?? state.ring?.peer
            var status = ControlStatus(state: "room", peer: peer, controls: controls.state)
            status.connection = state.connection.name
            status.canCall = state.canStartCall && state.ring == nil
            status.canAnswer = state.ring != nil
            return status
        case .call(let call):
            let state = call.store.state
            var status = ControlStatus(state: state.call.name, peer: state.peer, controls: controls.state)
            status.peerMedia = state.peerMedia
            // A call that we place also has the state `ringing`, but rings at the peer.
            status.canAnswer = state.call == .ringing && state.isIncoming && state.summary == nil
            return status
        }
    }
}
