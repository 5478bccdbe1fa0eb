internal import CallCore

// The same actions for buttons and for scripts, on whatever screen is shown.

extension AppCoordinator {
    /// Does what is wanted, where that is possible on the present screen.
    ///
    /// - Throws: `ControlRefusal`, whose code is `no-call`, `no-peer`, `not-ringing`, or a `MediaRefusal.Reason`.
    package nonisolated func perform(_ action: ControlAction) async throws(ControlRefusal) -> ControlAnswer {
        let screen = currentScreen
        switch action {
        case .setMuted(let isMuted):
            switch screen {
            case .room(let room): room.send(.setMuted(isMuted))
            case .call(let call): call.send(.setMuted(isMuted))
            }
        case .setCameraOff(let isOff):
            switch screen {
            case .room(let room): room.send(.setCameraOff(isOff))
            case .call(let call): call.send(.setCameraOff(isOff))
            }
        case .hangUp: try call(on: screen).send(.hangUp)
        case .accept: try ringing(on: screen).send(.accept)
        case .decline: try ringing(on: screen).send(.decline)
        case .startCall: try room(on: screen).send(.startCall)
        case .leave: leave()
        case .status: return .status(status(of: screen))
        case .startRecording, .stopRecording, .takeSnapshot: return try await keep(action, on: screen)
        }
        return .done
    }

    private nonisolated func keep(
        _ action: ControlAction,
        on screen: Screen
    ) async throws(ControlRefusal) -> ControlAnswer {
        _ = try call(on: screen)
        do throws(MediaRefusal) {
            switch action {
            case .startRecording(let path, let sides):
                return .file(try await media.startRecording(to: path, sides: sides))
            case .takeSnapshot(let path): return .file(try await media.takeSnapshot(to: path))
            case .stopRecording: try await media.stopRecording()
            case .setMuted, .setCameraOff, .hangUp, .leave, .accept, .decline, .startCall, .status: break
            }
            return .done
        } catch { throw ControlRefusal(error) }
    }

    /// The call, while it lasts.
    private nonisolated func call(on screen: Screen) throws(ControlRefusal) -> CallViewModel {
        guard case .call(let call) = screen, call.store.state.summary == nil else {
            throw ControlRefusal(code: "no-call", message: "there is no call now")
        }
        return call
    }

    private nonisolated func ringing(on screen: Screen) throws(ControlRefusal) -> CallViewModel {
        let call = try call(on: screen)
        guard isRinging(call) else {
            throw ControlRefusal(code: "not-ringing", message: "nobody waits for an answer here")
        }
        return call
    }

    private nonisolated func isRinging(_ call: CallViewModel) -> Bool {
        plan.role == .callee && call.store.state.call == .ringing
    }

    private nonisolated func room(on screen: Screen) throws(ControlRefusal) -> RoomViewModel {
        switch screen {
        case .room(let room) where room.store.state.canStartCall: return room
        case .room(let room):
            throw ControlRefusal(
                code: "no-peer",
                message: "nobody can be called: \(room.store.state.sentence)"
            )
        case .call: throw ControlRefusal(code: "in-call", message: "there is a call already")
        }
    }

    private nonisolated func status(of screen: Screen) -> ControlStatus {
        switch screen {
        case .room(let room):
            let state = room.store.state
            return ControlStatus(
                state: "room",
                peer: state.peer?.username,
                controls: state.controls,
                canCall: state.canStartCall,
                canAnswer: false
            )
        case .call(let call):
            let state = call.store.state
            return ControlStatus(
                state: state.call.name,
                peer: state.peer,
                controls: state.controls,
                canCall: false,
                canAnswer: isRinging(call)
            )
        }
    }

    /// Shows on each screen what is recorded by hand, until the media service is done.
    func followRecording() async {
        for await path in media.recordingPaths {
            controls.recording = path
            switch currentScreen {
            case .room(let room): room.store.update { $0.controls.recording = path }
            case .call(let call): call.store.update { $0.controls.recording = path }
            }
        }
    }
}
