internal import CallCore

/// Remembers what is set in the settings sheet.
struct SettingsKeeper {
    let memory: any AppMemory
    /// What is remembered already.
    let known: SettingsViewModel.State
    /// Of how many logouts the memory has forgotten what it should.
    let forgotten: StateStore<Int>
    let events: AsyncStream<FlowEvent>.Continuation

    /// Runs until the model's store is finished; what could not be remembered is told, and holds for this run all the same.
    func follow(_ model: SettingsViewModel) async {
        var known = known
        for await state in model.store.states {
            if state.settings != known.settings { await keep { try await memory.remember(state.settings) } }
            if state.logouts != known.logouts {
                // A token that has been entered since must not be forgotten with the one before.
                if state.token != nil { await keepToken(of: state) }
            } else if state.token != known.token {
                await keepToken(of: state)
            }
            known = state
        }
    }

    private func keepToken(of state: SettingsViewModel.State) async {
        for await count in forgotten.states where count >= state.logouts { break }
        await keep { try await memory.remember(token: state.token) }
    }

    func keep(_ what: () async throws -> Void) async {
        do { try await what() } catch {
            events.yield(.warning((error as? AppMemoryFailure)?.message ?? "\(error)"))
        }
    }
}
