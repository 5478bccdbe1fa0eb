package import CallCore

/// Who one is, and which room it shall be.
@MainActor package final class LoginViewModel: ViewModel {
    package struct State: Equatable, Sendable {
        /// As typed.
        package fileprivate(set) var username = ""
        /// As typed; ASCII digits only.
        package fileprivate(set) var room = ""
        /// What could not be forgotten of who was here before.
        package var unforgotten: AppMemoryFailure?

        /// Nil until both are good.
        package var identity: Identity? {
            guard let username = try? Username(username), let room = try? RoomID(room) else { return nil }
            return Identity(username: username, room: room)
        }

        package var canProceed: Bool { identity != nil }

        package var isNamed: Bool { (try? Username(username)) != nil }

        /// What is wrong with a name that is not empty.
        package var usernameProblem: IdentityError? {
            guard !username.allSatisfy(\.isWhitespace) else { return nil }
            do throws(IdentityError) {
                _ = try Username(username)
                return nil
            } catch { return error }
        }

        /// What is wrong with a number that is not empty.
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
        /// What is no ASCII digit is left out.
        case setRoom(String)
        /// Return, or the button; means nothing while `canProceed` is false.
        case proceed
        case quit
    }

    /// In characters; what is longer is cut off, so that a pasted book costs nothing.
    package nonisolated static let longestUsername = 2 * Username.maximumLength
    /// In digits: one more than the largest number has, so that one too many is seen.
    package nonisolated static let longestRoom = "\(RoomID.range.upperBound)".count + 1

    package nonisolated let store: StateStore<State>
    private let outlet: CommandRouter

    init(outlet: CommandRouter, unforgotten: AppMemoryFailure? = nil) {
        self.outlet = outlet
        var state = State()
        state.unforgotten = unforgotten
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
            outlet.send(.proceed(identity))
        case .quit: outlet.send(.quit)
        }
    }
}
