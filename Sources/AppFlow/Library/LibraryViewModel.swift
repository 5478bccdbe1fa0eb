package import Basics
package import LiveCore

/// The view model of the Library: past calls and recordings.
@MainActor package final class LibraryViewModel: ViewModel {
    package struct State: Equatable, Sendable {
        /// The listed items; nil until they are listed for the first time.
        package var items: [LibraryItem]?
        package var dialog: Dialog?
        /// Whether the dialog has been confirmed and its effect is awaited.
        package var isBusy = false
        /// The reason why the last action failed; nil after a success.
        package var problem: RecordingProblem?
    }

    /// A question about a recording, or about all past calls.
    package enum Dialog: Hashable, Sendable {
        /// Asks for a new title; `problem` is the reason why the entered title was refused.
        case renaming(Recording, text: String, problem: TitleProblem?)
        /// Asks whether to move the recording to the trash.
        case trashing(Recording)
        /// Asks whether to delete the recording permanently; `trashFailure` is the reason why it cannot be moved to the
        /// trash.
        case deleting(Recording, trashFailure: String)
        /// Asks whether to delete all past calls.
        case forgetting
    }

    /// The reason why a title was not accepted.
    package enum TitleProblem: Hashable, Sendable {
        /// The title cannot be part of a file name.
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
        /// Performs the action of this dialog: renames or deletes the recording, or deletes the past calls.
        ///
        /// It is ignored if another dialog is shown, or if this one was already confirmed.
        case confirm(Dialog)
        /// Closes the dialog, or removes the message about a problem.
        case cancel
    }

    package nonisolated let store = StateStore(State())
    /// The view model of the player, which also plays recordings.
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
