package import Basics
package import CallCore

/// The view model of the login: the user's name and the room.
@MainActor package final class LoginViewModel: ViewModel {
    package struct State: Equatable, Sendable {
        /// The name as typed.
        package fileprivate(set) var username = ""
        /// The room number as typed; only ASCII digits.
        package fileprivate(set) var room = ""
        /// The failure to delete the data of the previous user, if any.
        package var deletionFailure: StoreFailure?

        /// The identity; nil until name and room number are both valid.
        package var identity: Identity? {
            guard let username = try? Username(username), let room = try? RoomID(room) else { return nil }
            return Identity(username: username, room: room)
        }

        package var canProceed: Bool { identity != nil }

        package var isNamed: Bool { (try? Username(username)) != nil }

        /// The reason why the typed name is invalid; nil if it is valid or empty.
        package var usernameProblem: IdentityError? {
            guard !username.allSatisfy(\.isWhitespace) else { return nil }
            do throws(IdentityError) {
                _ = try Username(username)
                return nil
            } catch { return error }
        }

        /// The reason why the typed room number is invalid; nil if it is valid or empty.
        package var roomProblem: IdentityError? {
            guard !room.isEmpty else { return nil }
            do throws(IdentityError) {
                _ = try RoomID(room)
                return nil
            } catch { return error }
        }
    }

    package enum Action: Hashable, Sendable {
        case setUsername(String)
        /// Sets the room number; anything but ASCII digits is dropped.
        case setRoom(String)
        /// Logs in by the return key or the button; ignored while `canProceed` is false.
        case proceed
        case quit
    }

    /// The maximum number of characters; a longer text is truncated, so that a huge pasted text does no harm.
    package nonisolated static let longestUsername = 2 * Username.maximumLength
    /// The maximum number of digits, one more than that of the largest room number, so that an excess digit
    /// is visible.
    package nonisolated static let longestRoom = "\(RoomID.range.upperBound)".count + 1

    package nonisolated let store: StateStore<State>
    private let router: CommandRouter

    init(router: CommandRouter, deletionFailure: StoreFailure? = nil) {
        self.router = router
        var state = State()
        state.deletionFailure = deletionFailure
        store = StateStore(state)
    }

    package nonisolated func send(_ action: Action) {
        switch action {
        case .setUsername(let text):
            store.update { $0.username = String(text.prefix(Self.longestUsername)) }
        case .setRoom(let text):
            let digits = text.prefix(256).filter { $0.isASCII && $0.isNumber }
            store.update { $0.room = String(digits.prefix(Self.longestRoom)) }
        case .proceed:
            guard let identity = store.state.identity else { return }
            router.send(.proceed(identity))
        case .quit: router.send(.quit)
        }
    }
}
