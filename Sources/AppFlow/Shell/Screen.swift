internal import Basics

/// The screen that the app shows.
package enum Screen: Equatable, Sendable {
    case home(HomeViewModel)
    case library(LibraryViewModel)
    case chats(ChatsViewModel)
    case calls(CallsScreen)
    case account(AccountViewModel)
    case settings(SettingsViewModel)
    /// A stream in a window of its own.
    case live(LiveViewModel)

    /// The destination to which the screen belongs; nil if it belongs to none.
    package var destination: Destination? {
        switch self {
        case .home: .home
        case .library: .library
        case .chats: .chats
        case .calls: .calls
        case .account: .account
        case .settings: .settings
        case .live: nil
        }
    }

    /// The name of the screen for scripts.
    package var name: String {
        switch self {
        case .home: "home"
        case .library: "library"
        case .chats(let model): model.store.state.name
        case .calls(let screen): screen.name
        case .account(let model): model.store.state.name
        case .settings: "settings"
        case .live: "live"
        }
    }

    /// Whether the bar with the destinations is shown below the screen; a call or a stream uses the whole window.
    package var hasBar: Bool {
        switch self {
        case .calls(.call), .live: false
        case .home, .library, .chats, .calls, .account, .settings: true
        }
    }

    package static func == (left: Screen, right: Screen) -> Bool {
        switch (left, right) {
        case (.home(let one), .home(let other)): one === other
        case (.library(let one), .library(let other)): one === other
        case (.chats(let one), .chats(let other)): one === other
        case (.calls(let one), .calls(let other)): one == other
        case (.account(let one), .account(let other)): one === other
        case (.settings(let one), .settings(let other)): one === other
        case (.live(let one), .live(let other)): one === other
        case (.home, _), (.library, _), (.chats, _), (.calls, _), (.account, _), (.settings, _), (.live, _):
            false
        }
    }
}
