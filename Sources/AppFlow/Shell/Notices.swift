package import AccountsCore
package import Basics

/// A short message about something that has happened.
package struct Notice: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// The recording with this title was moved to the trash.
        case trashed(String)
        /// The recording with this title was deleted permanently.
        case deleted(String)
        /// No file manager could show the file with this path.
        case notRevealed(String)
        /// The dropped item is neither a file nor a web address.
        case notPlayable
        /// The desktop cannot show a dialog for choosing a file.
        case noFileDialog
        /// The desktop cannot show a dialog for choosing a picture.
        case noPictureDialog
        /// The server's data about the user was exported to the file with this path.
        case accountExported(String)
        case accountDeleted
        /// Another program has signed in the user with this name; `before` is the name of the user it has replaced, if
        /// any.
        case signedInElsewhere(String, before: String?)
        /// A call was missed while another destination was shown; the value is the caller's name, if it is known.
        case callMissed(String?)
        /// A call from a conversation did not take place; the string is the name of the other person.
        case chatCall(ChatCallFailure, String)
        /// An action of the account failed, on the server or on this computer.
        case accountFailed(AccountFailure)
    }

    /// The ID, unique among all notices of the app.
    package let id: Int
    package let content: Content
}

/// The notices that are currently shown, each for a few seconds.
package final class Notices: Sendable {
    package struct State: Hashable, Sendable {
        /// The shown notices, with the newest last.
        package var shown: [Notice] = []
        fileprivate var count = 0
    }

    /// The maximum number of shown notices; another one replaces the oldest.
    package static let limit = 3

    package let store = StateStore(State())

    func post(_ content: Notice.Content) {
        store.update { state in
            state.count += 1
            state.shown = state.shown.suffix(Self.limit - 1) + [Notice(id: state.count, content: content)]
        }
    }

    /// Removes a notice that the user has closed or whose time has expired.
    package func remove(_ id: Int) { store.update { $0.shown.removeAll { $0.id == id } } }
}
