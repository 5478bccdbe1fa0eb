package import Basics
package import LiveCore

/// A row of the Library.
package enum LibraryItem: Hashable, Sendable {
    case recording(Recording)
    case call(PastCall)
    /// The test video, shown while there is nothing else.
    case sample(LiveAddress)
}

/// The view model of the Library: past calls and recordings.
@MainActor package final class LibraryViewModel: ViewModel {
    package struct State: Equatable, Sendable {
        /// Nil until the items are listed for the first time.
        package var items: [LibraryItem]?
        package var dialog: Dialog?
        /// The reason why the last action failed; nil after a success.
        package var problem: RecordingProblem?
    }

    /// What the user is asked about a recording.
    package enum Dialog: Hashable, Sendable {
        /// Another title; `problem` is the reason why the entered one was refused.
        case renaming(Recording, text: String, problem: TitleProblem?)
        /// Whether it is to be deleted; `noTrash` is the reason why it cannot be moved to the trash.
        case deleting(Recording, noTrash: String?)
    }

    package enum TitleProblem: Hashable, Sendable {
        case invalid
        case refused(RecordingProblem)
    }

    package enum Action: Hashable, Sendable {
        case play(LiveAddress)
        case reveal(Recording)
        case askForTitle(Recording)
        case setTitle(String)
        case askToDelete(Recording)
        /// Renames or deletes the recording, as this dialog says; ignored if another one is shown by then.
        case confirm(Dialog)
        /// Closes the dialog, or removes the message about a problem.
        case cancel
    }

    package nonisolated let store = StateStore(State())
    /// The stream, which plays recordings.
    package nonisolated let live: LiveViewModel
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
            // Whoever chooses a recording wants to hear it.
            if live.store.state.options.audio.isMuted { live.toggleSound() }
        case .askForTitle(let recording):
            store.update { $0.dialog = .renaming(recording, text: recording.title, problem: nil) }
        case .setTitle(let text):
            store.update { state in
                guard case .renaming(let recording, _, _) = state.dialog else { return }
                state.dialog = .renaming(recording, text: text, problem: nil)
            }
        case .askToDelete(let recording): store.update { $0.dialog = .deleting(recording, noTrash: nil) }
        case .cancel:
            store.update { state in
                if state.dialog == nil { state.problem = nil }
                state.dialog = nil
            }
        case .reveal, .confirm: perform(action)
        }
    }
}
