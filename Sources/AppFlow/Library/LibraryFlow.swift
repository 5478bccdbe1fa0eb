internal import Basics
internal import LiveCore

/// The flow of the Library, which lists past calls and recordings, and changes recordings.
@MainActor package final class LibraryFlow {
    private enum Input: Sendable {
        /// The items must be listed again, because the Library is shown or something has changed.
        case changed
        case action(LibraryViewModel.Action)
    }

    package nonisolated let model: LibraryViewModel
    private let previews: RecordingPreviews
    private let recordings: any RecordingStore
    private let memory: any AppMemory
    private let samples: [LiveItem]
    private let notices: Notices
    private let inputs: AsyncStream<Input>
    private let inputContinuation: AsyncStream<Input>.Continuation
    /// A stream without elements that finishes when the flow must end.
    private let hold = AsyncStream.makeStream(of: Never.self)

    nonisolated init(
        _ live: LiveViewModel,
        _ previews: RecordingPreviews,
        samples: [LiveItem],
        recordings: any RecordingStore,
        memory: any AppMemory,
        notices: Notices
    ) {
        (inputs, inputContinuation) = AsyncStream.makeStream(of: Input.self)
        (self.previews, self.samples) = (previews, samples)
        (self.recordings, self.memory, self.notices) = (recordings, memory, notices)
        model = LibraryViewModel(live, previews) { [inputContinuation] in
            inputContinuation.yield(.action($0))
        }
    }

    /// Handles the user's actions until `finish()` is called, which cancels unfinished ones.
    func run(beside calls: CallsFlow) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.previews.run() }
            group.addTask { await self.handleInputs() }
            group.addTask { await self.follow(calls.rememberedCalls) }
            group.addTask { await self.follow(calls.forgotten) }
            group.addTask {
                for await count in calls.logouts.states where count > 0 { await self.hideCalls() }
            }
            for await _ in hold.stream {}
            group.cancelAll()
        }
    }

    func finish() { hold.continuation.finish() }

    /// Lists the items again and closes open dialogs, because the Library is shown.
    func opened() {
        model.store.update { state in
            (state.dialog, state.isBusy, state.problem) = (nil, false, nil)
        }
        inputContinuation.yield(.changed)
    }

    /// Lists the items again each time a number changes, unless they have never been listed.
    private func follow(_ count: StateStore<Int>) async {
        for await _ in count.states where model.store.state.items != nil {
            inputContinuation.yield(.changed)
        }
    }

    /// Removes the calls of a user who has logged out.
    private func hideCalls() {
        model.store.update { $0.items?.removeAll(where: \.isPrivate) }
    }

    private func handleInputs() async {
        await withDiscardingTaskGroup { group in
            for await input in inputs {
                switch input {
                case .changed: await list()
                case .action(.confirm(let dialog)): await confirm(dialog)
                // A file manager may respond slowly.
                case .action(.reveal(let recording)): group.addTask { await self.reveal(recording) }
                case .action: break
                }
            }
            group.cancelAll()
        }
    }

    private func list() async {
        let recordings = await recordings.list()
        let calls = await memory.pastCalls()
        var items = recordings.map(LibraryItem.recording) + calls.map(LibraryItem.call)
        if items.isEmpty { items = samples.map { .sample($0.address) } }
        previews.keep(only: recordings)
        model.store.update { $0.items = items }
    }

    // MARK: Changes

    private func confirm(_ dialog: LibraryViewModel.Dialog) async {
        var next: LibraryViewModel.Dialog?
        var problem: RecordingProblem?
        do {
            switch dialog {
            case .renaming(let recording, let text, _):
                if let title = RecordingTitle(text) {
                    try await rename(recording, title)
                } else {
                    next = .renaming(recording, text: text, problem: .invalid)
                }
            case .trashing(let recording):
                try await recordings.trash(recording)
                stop(recording)
                notices.post(.trashed(recording.title))
            case .deleting(let recording, _):
                try await recordings.delete(recording)
                stop(recording)
                notices.post(.deleted(recording.title))
            case .forgetting: try await memory.forgetCalls()
            }
        } catch {
            let reason = Self.problem(error)
            switch (dialog, reason) {
            case (.renaming(let recording, let text, _), _):
                next = .renaming(recording, text: text, problem: .refused(reason))
            case (.trashing(let recording), .noTrash(let failure)):
                next = .deleting(recording, trashFailure: failure)
            default: problem = reason
            }
        }
        model.store.update { [next, problem] state in
            if let problem { state.problem = problem }
            // The user may have closed the dialog and opened another one.
            guard state.dialog == dialog else { return }
            (state.dialog, state.isBusy) = (next, false)
        }
        await list()
    }

    private func rename(_ recording: Recording, _ title: RecordingTitle) async throws {
        guard title.text != recording.title else { return }
        let renamed = try await recordings.rename(recording, to: title)
        // The renamed file is played from its beginning.
        if model.live.store.state.address == recording.address { model.live.send(.select(renamed.address)) }
    }

    /// Stops a recording that no longer exists.
    private func stop(_ recording: Recording) {
        if model.live.store.state.address == recording.address { model.live.send(.select(nil)) }
    }

    private func reveal(_ recording: Recording) async {
        do { try await recordings.reveal(recording) } catch {
            if !Task.isCancelled { notices.post(.notRevealed(recording.path)) }
        }
    }

    private static func problem(_ error: any Error) -> RecordingProblem {
        error as? RecordingProblem ?? .failed((error as? StoreFailure)?.message ?? "\(error)")
    }
}
