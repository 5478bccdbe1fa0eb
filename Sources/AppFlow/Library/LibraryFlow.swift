internal import Basics
internal import LiveCore

/// The flow of the Library, which lists past calls and recordings, and changes recordings.
@MainActor package final class LibraryFlow {
    private enum Input: Sendable {
        /// The Library is shown.
        case opened
        case action(LibraryViewModel.Action)
    }

    package nonisolated let model: LibraryViewModel
    private let previews: RecordingPreviews
    private let recordings: any RecordingStore
    private let memory: any AppMemory
    private let samples: [LiveItem]
    private let inputs: AsyncStream<Input>
    private let inputContinuation: AsyncStream<Input>.Continuation

    nonisolated init(
        _ live: LiveViewModel,
        _ previews: RecordingPreviews,
        samples: [LiveItem],
        recordings: any RecordingStore,
        memory: any AppMemory
    ) {
        (inputs, inputContinuation) = AsyncStream.makeStream(of: Input.self)
        (self.previews, self.samples) = (previews, samples)
        (self.recordings, self.memory) = (recordings, memory)
        model = LibraryViewModel(live, previews) { [inputContinuation] in
            inputContinuation.yield(.action($0))
        }
    }

    /// Handles the user's actions until `finish()` is called.
    func run() async {
        async let previewed: Void = previews.run()
        for await input in inputs {
            switch input {
            case .opened: await list()
            case .action(.confirm(let dialog)): await confirm(dialog)
            case .action(.reveal(let recording)): await show { try await self.recordings.reveal(recording) }
            case .action: break
            }
        }
        await previewed
    }

    func finish() {
        inputContinuation.finish()
        previews.finish()
    }

    /// Lists everything anew.
    func opened() { inputContinuation.yield(.opened) }

    private func list() async {
        let recordings = await recordings.list()
        let calls = await memory.pastCalls()
        var items = recordings.map(LibraryItem.recording) + calls.map(LibraryItem.call)
        if items.isEmpty { items = samples.map { .sample($0.address) } }
        model.store.update { $0.items = items }
    }

    private func confirm(_ dialog: LibraryViewModel.Dialog) async {
        // A second click must not confirm what the first one has brought.
        guard model.store.state.dialog == dialog else { return }
        switch dialog {
        case .renaming(let recording, let text, _):
            guard let title = RecordingTitle(text) else { return refuse(.invalid) }
            do {
                try await rename(recording, title)
                close()
            } catch { return refuse(.refused(Self.problem(error))) }
        case .deleting(let recording, let noTrash):
            do {
                // The file must not be in use when it goes.
                stop(recording)
                if noTrash == nil {
                    try await recordings.trash(recording)
                } else {
                    try await recordings.delete(recording)
                }
                close()
            } catch RecordingProblem.noTrash(let reason) {
                model.store.update { $0.dialog = .deleting(recording, noTrash: reason) }
            } catch {
                close()
                await show { throw error }
            }
        }
        await list()
    }

    private func rename(_ recording: Recording, _ title: RecordingTitle) async throws {
        guard title.text != recording.title else { return }
        let renamed = try await recordings.rename(recording, to: title)
        // The file goes on under its new name, from its beginning.
        if model.live.store.state.address == recording.address { model.live.send(.select(renamed.address)) }
    }

    private func stop(_ recording: Recording) {
        if model.live.store.state.address == recording.address { model.live.send(.select(nil)) }
    }

    private func refuse(_ problem: LibraryViewModel.TitleProblem) {
        model.store.update { state in
            guard case .renaming(let recording, let text, _) = state.dialog else { return }
            state.dialog = .renaming(recording, text: text, problem: problem)
        }
    }

    private func close() {
        model.store.update { state in
            (state.dialog, state.problem) = (nil, nil)
        }
    }

    /// Performs an action, and shows the reason if it fails.
    private func show(_ body: () async throws -> Void) async {
        var problem: RecordingProblem?
        do { try await body() } catch { problem = Self.problem(error) }
        model.store.update { [problem] in $0.problem = problem }
    }

    private static func problem(_ error: any Error) -> RecordingProblem {
        error as? RecordingProblem ?? .failed("\(error)")
    }
}
