internal import CallCore

/// Remembers what is set in the settings sheet.
struct SettingsKeeper {
    let memory: any AppMemory
    /// What is remembered already.
    let known: SettingsViewModel.State
    let events: AsyncStream<FlowEvent>.Continuation

    /// Runs until the model's store is finished; what could not be remembered is told, and holds for this run all the same.
    func follow(_ model: SettingsViewModel) async {
        var known = known
        for await state in model.store.states {
            if state.settings != known.settings { await keep { try await memory.remember(state.settings) } }
            if state.token != known.token, state.logouts == known.logouts {
                await keep { try await memory.remember(token: state.token) }
            }
            known = state
        }
    }

    func keep(_ what: () async throws -> Void) async {
        do { try await what() } catch {
            events.yield(.warning((error as? AppMemoryFailure)?.message ?? "\(error)"))
        }
    }
}
