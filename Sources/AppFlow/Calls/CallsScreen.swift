package import Basics

/// The model of a screen without its presentation: a state to show, and the actions that the user can send.
@MainActor package protocol ViewModel<State, Action>: AnyObject, Sendable {
    associatedtype State: Equatable & Sendable
    associatedtype Action: Sendable

    nonisolated var store: StateStore<State> { get }
    nonisolated func send(_ action: Action)
}

/// The screen that the flow of calls shows.
package enum CallsScreen: Equatable, Sendable {
    case login(LoginViewModel)
    case room(RoomViewModel)
    case call(CallViewModel)

    /// The name of the screen for scripts.
    package var name: String {
        switch self {
        case .login: "login"
        case .room: "room"
        case .call: "call"
        }
    }

    package static func == (left: CallsScreen, right: CallsScreen) -> Bool {
        switch (left, right) {
        case (.login(let one), .login(let other)): one === other
        case (.room(let one), .room(let other)): one === other
        case (.call(let one), .call(let other)): one === other
        case (.login, _), (.room, _), (.call, _): false
        }
    }

    /// Calls `body` for the current state of the screen and after each change.
    package func follow(_ body: @Sendable () async -> Void) async {
        switch self {
        case .login(let model): for await _ in model.store.states { await body() }
        case .room(let model): for await _ in model.store.states { await body() }
        case .call(let model): for await _ in model.store.states { await body() }
        }
    }
}
