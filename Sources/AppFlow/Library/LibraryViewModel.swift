package import Basics
package import LiveCore

/// The view model of the Library: past calls and recordings.
@MainActor package final class LibraryViewModel: ViewModel {
    package struct State: Equatable, Sendable {
        /// Nil until the items are listed for the first time.
        package var items: [LibraryItem]?
        package var dialog: Dialog?
        /// Whether the dialog has been confirmed and its effect is awaited.
        package var isBusy = false
        /// The reason why the last action failed; nil after a success.
        package var problem: RecordingProblem?
    }

    /// A question about a recording, or about all past calls.
    package enum Dialog: Hashable, Sendable {
        /// The question for another title; `problem` is the reason why the entered one was refused.
        case renaming(Recording, text: String, problem: TitleProblem?)
        /// The question whether to move the recording to the trash.
        case trashing(Recording)
        /// The question whether to delete the recording for good; `trashFailure` is the reason why it cannot be
        /// moved to the trash.
        case deleting(Recording, trashFailure: String)
        /// The question whether to forget all past calls.
        case forgetting
    }

    /// The reason why a title was not accepted.
    package enum TitleProblem: Hashable, Sendable {
        /// It cannot be part of a file name.
        case invalid
        case refused(RecordingProblem)
    }

    /// An action of the user.
    package enum Action: Hashable, Sendable {
        case play(LiveAddress)
        case reveal(Recording)
        case askForTitle(Recording)
        case setTitle(String)
        case askToDelete(Recording)
        case askToForget
        /// Renames or deletes the recording, or forgets the calls, as this dialog says.
        ///
        /// It is ignored if another dialog is shown, or if this one was confirmed already.
        case confirm(Dialog)
        /// Closes the dialog, or removes the message about a problem.
        case cancel
    }

    package nonisolated let store = StateStore(State())
    /// The stream, which plays recordings.
    package nonisolated let live: LiveViewModel
    /// The previews of the recordings.
    package nonisolated let previews: RecordingPreviews
    private let perform: @Sendable (Action) -> Void

    /// Creates a view model; `perform` handles the actions that need the disk or the desktop.
    nonisolated init(
        _ live: LiveViewModel,
        _ previews: RecordingPreviews,
        perform: @escaping @Sendable (Action) -> Void
    ) {
        (self.live, self.previews, self.perform) = (live, previews, perform)
    }

    package nonisolated func send(_ action: Action) {
        switch action {
        case .play(let address):
            live.play(address)
            // A user who chooses a recording wants to hear it.
            if live.store.state.options.audio.isMuted { live.toggleSound() }
        case .askForTitle(let recording): ask(.renaming(recording, text: recording.title, problem: nil))
        case .setTitle(let text):
            store.update { state in
                guard case .renaming(let recording, _, _) = state.dialog, !state.isBusy else { return }
                state.dialog = .renaming(recording, text: text, problem: nil)
            }
        case .askToDelete(let recording): ask(.trashing(recording))
        case .askToForget: ask(.forgetting)
        case .cancel:
            store.update { state in
                if state.dialog == nil { state.problem = nil }
                (state.dialog, state.isBusy) = (nil, false)
            }
        case .confirm(let dialog):
            var isAccepted = false
            store.update { state in
                guard state.dialog == dialog, !state.isBusy else { return }
                (state.isBusy, isAccepted) = (true, true)
            }
            if isAccepted { perform(action) }
        case .reveal: perform(action)
        }
    }

    private nonisolated func ask(_ dialog: Dialog) {
        store.update { state in
            (state.dialog, state.isBusy, state.problem) = (dialog, false, nil)
        }
    }
}
