internal import Basics
internal import CallCore

// The steps before the room is joined: the login, and the disconnected room.

extension CallsFlow {
    private static let mostUnsavedCalls = 64

    func login() async -> Step? {
        room = nil
        showLogin()
        defer { router.disconnect() }
        for await command in commands() {
            switch command {
            case .proceed(let identity):
                var state = RoomState(identity: identity, role: .callee, controls: controls.state)
                state.isManaged = true
                room = RoomViewModel(state, router: router)
                remember()
                return .disconnected(nil)
            case .visit(let visit) where visit == waitingVisit: return .visiting(visit, rejoins: false)
            case .quit: return nil
            default: break
            }
        }
        return nil
    }

    func waitWhileDisconnected(_ loss: RoomLoss?) async -> Step? {
        guard let room else { return .login }
        room.disconnected(loss, role: room.store.state.role)
        room.store.update { [controls] in $0.controls = controls.state }
        show(.room(room))
        return await withTaskGroup { group in
            defer { group.cancelAll() }
            let (inputs, input) = AsyncStream.makeStream(of: DisconnectedInput.self)
            router.connect { [controls] command in
                if !controls.perform(command) { input.yield(.command(command)) }
            }
            defer { router.disconnect() }
            if let seconds = loss?.retryIn {
                group.addTask { [clock] in
                    for left in (0..<seconds).reversed() {
                        guard (try? await clock.sleep(for: .seconds(1))) != nil else { return }
                        input.yield(.secondsLeft(left))
                    }
                }
            }
            for await input in inputs {
                switch input {
                case .secondsLeft(0): return .joined(nil)
                case .command(.connect):
                    losses = 0  // the user may have fixed the cause
                    return .joined(nil)
                case .secondsLeft(let seconds):
                    let loss = loss.map { RoomLoss(reason: $0.reason, retryIn: seconds) }
                    room.disconnected(loss, role: room.store.state.role)
                case .command(.setRole(let role)):
                    room.disconnected(room.store.state.loss, role: role)
                    remember()
                case .command(.switchRole):
                    switchRole()
                    return .joined(nil)
                case .command(.disconnect):
                    // A user who cancels the countdown wants no further attempt.
                    return .disconnected(loss.map { RoomLoss(reason: $0.reason) })
                case .command(.visit(let visit)) where visit == waitingVisit:
                    return .visiting(visit, rejoins: loss?.retryIn != nil)
                case .command(.logout): return logOut()
                case .command(.quit): return nil
                case .command: break
                }
            }
            return nil
        }
    }

    /// Changes to the other role for the next session in the room.
    func switchRole() {
        guard let room else { return }
        losses = 0
        room.disconnected(nil, role: room.store.state.role.opposite)
        remember()
    }

    /// Logs the user out and deletes the identity, also from disk.
    func logOut() -> Step {
        settings.logOut()
        controls.reset()
        show(deletionFailure: nil)
        logouts.update { $0 += 1 }
        memoryChanges.continuation.yield { [forgotten] memory in
            defer { forgotten.update { $0 += 1 } }
            do { try await memory.forgetIdentity() } catch {
                await self.show(deletionFailure: error as? StoreFailure)
                throw error
            }
        }
        return .login
    }

    /// Shows that data could not be deleted, or removes this message if the failure is nil.
    ///
    /// If the user has left, the next user sees the message on the login screen.
    private func show(deletionFailure: StoreFailure?) {
        self.deletionFailure = deletionFailure
        if case .login(let login) = currentScreen {
            login.store.update { $0.deletionFailure = deletionFailure }
        }
    }

    /// Saves a past call; does nothing in a run from the command line, or if too many calls are still unsaved.
    func remember(_ call: PastCall) {
        // Other participants can cause calls faster than the disk can save them.
        guard memory != nil, unsavedCalls < Self.mostUnsavedCalls else { return }
        unsavedCalls += 1
        memoryChanges.continuation.yield { [rememberedCalls] memory in
            await self.savesCall()
            try await memory.remember(call)
            rememberedCalls.update { $0 += 1 }
        }
    }

    private func savesCall() { unsavedCalls -= 1 }

    func remember() {
        guard let state = room?.store.state else { return }
        let remembered = RememberedIdentity(identity: state.identity, role: state.role)
        memoryChanges.continuation.yield { try await $0.remember(remembered) }
    }

    /// Creates the stream of the user's commands for one step.
    private func commands() -> AsyncStream<CallsCommand> {
        let (commands, command) = AsyncStream.makeStream(of: CallsCommand.self)
        router.connect { command.yield($0) }
        return commands
    }
}

private enum DisconnectedInput: Sendable {
    case command(CallsCommand)
    /// The seconds until the next attempt.
    case secondsLeft(Int)
}
