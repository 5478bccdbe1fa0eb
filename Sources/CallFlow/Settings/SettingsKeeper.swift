internal import Basics
internal import CallCore

/// The writer that saves changes of the settings sheet to the app's persistent data.
struct SettingsKeeper {
    let memory: any AppMemory
    /// The state that is already saved.
    let known: SettingsViewModel.State
    /// The number of logouts whose stored data has been deleted.
    let forgotten: StateStore<Int>
    let events: AsyncStream<FlowEvent>.Continuation

    /// Saves each change until the model's store is finished.
    ///
    /// A failure to save is reported as a warning, and the setting still applies to this run.
    func follow(_ model: SettingsViewModel) async {
        var known = known
        for await state in model.store.states {
            if state.settings != known.settings { await keep { try await memory.remember(state.settings) } }
            if state.logouts != known.logouts {
                // A token entered after the logout must not be deleted with the previous one.
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
            events.yield(.warning((error as? StoreFailure)?.message ?? "\(error)"))
        }
    }
}
