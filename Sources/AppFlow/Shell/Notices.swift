package import AccountsCore
package import Basics

/// A short message about something that has happened.
package struct Notice: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// The recording with this title was moved to the trash.
        case trashed(String)
        /// The recording with this title was deleted for good.
        case deleted(String)
        /// No program has shown the file with this path in its folder.
        case notRevealed(String)
        /// A thing was dropped on the window that is neither a file nor an address on the web.
        case notPlayable
        /// The desktop shows no dialog for choosing a file.
        case noFileDialog
        /// The desktop shows no dialog for choosing a picture.
        case noPictureDialog
        /// All that the server knows of the user was written to the file with this path.
        case accountExported(String)
        case accountDeleted
        /// Another program has signed the user with this name in; `before` is the name of the user who was signed in here.
        case signedInElsewhere(String, before: String?)
        /// Nobody has answered a call while another destination was shown; the caller's name, if it is known.
        case callMissed(String?)
        /// A call from a conversation ended without one; the name of the other person.
        case chatCall(ChatCallFailure, String)
        /// The account's server, or this computer, did not do what the user wanted.
        case accountFailed(AccountFailure)
    }

    /// A number that no other notice of the app has.
    package let id: Int
    package let content: Content
}

/// The notices that are shown now, for a few seconds each.
package final class Notices: Sendable {
    package struct State: Hashable, Sendable {
        /// The newest last.
        package var shown: [Notice] = []
        fileprivate var count = 0
    }

    /// The most notices at a time; the oldest one makes room.
    package static let limit = 3

    package let store = StateStore(State())

    func post(_ content: Notice.Content) {
        store.update { state in
            state.count += 1
            state.shown = state.shown.suffix(Self.limit - 1) + [Notice(id: state.count, content: content)]
        }
    }

    /// Removes a notice that the user has closed, or whose time has passed.
    package func remove(_ id: Int) { store.update { $0.shown.removeAll { $0.id == id } } }
}
