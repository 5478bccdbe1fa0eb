internal import Basics
internal import CallCore

/// The flow of the settings, which saves each change and lists the devices to select from.
@MainActor package final class SettingsFlow {
    package nonisolated let model: SettingsViewModel
    private let memory: any AppMemory
    private let services: any AppServices
    /// The number of logouts after which the deletion of the stored data has finished or failed.
    private let forgotten: StateStore<Int>
    private let events: AsyncStream<FlowEvent>.Continuation
    private let listings = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// The state that is already saved.
    private var saved: SettingsViewModel.State

    init(
        _ model: SettingsViewModel,
        memory: any AppMemory,
        services: any AppServices,
        forgotten: StateStore<Int>,
        events: AsyncStream<FlowEvent>.Continuation
    ) {
        self.model = model
        self.memory = memory
        self.services = services
        self.forgotten = forgotten
        self.events = events
        saved = model.store.state
    }

    /// Saves each change until `finish()` is called.
    ///
    /// A failure to save is reported as a warning, and the setting still applies to this run.
    func run() async {
        async let listed: Void = followListings()
        await save()
        await listed
    }

    private func followListings() async {
        for await _ in listings.stream { model.show(await services.devices()) }
    }

    private func save() async {
        for await state in model.store.states {
            let settings = state.settings
            if settings != saved.settings { await save { try await $0.remember(settings) } }
            if state.logouts != saved.logouts {
                // A token entered after the logout must not be deleted with the previous one.
                if state.token != nil { await saveToken(of: state) }
            } else if state.token != saved.token {
                await saveToken(of: state)
            }
            saved = state
        }
    }

    /// Applies the typed texts, and ends `run()` when everything is saved.
    func finish() {
        model.send(.commit)
        model.store.finish()
        listings.continuation.finish()
    }

    /// Shows the devices that are connected now, as soon as they are listed.
    func listDevices() { listings.continuation.yield() }

    private func saveToken(of state: SettingsViewModel.State) async {
        for await count in forgotten.states where count >= state.logouts { break }
        let token = state.token
        await save { try await $0.remember(token: token) }
    }

    private func save(_ change: @Sendable (any AppMemory) async throws -> Void) async {
        await events.reportFailure(of: change, in: memory)
    }
}

extension AsyncStream<FlowEvent>.Continuation {
    /// Changes the persistent data, and reports a failure as a warning.
    func reportFailure(
        of change: @Sendable (any AppMemory) async throws -> Void,
        in memory: any AppMemory
    ) async {
        do { try await change(memory) } catch {
            yield(.warning((error as? StoreFailure)?.message ?? "\(error)"))
        }
    }
}
