/// The screen that the app shows.
package enum Screen: Equatable, Sendable {
    case calls(CallsScreen)
    case settings(SettingsViewModel)

    /// The destination to which the screen belongs.
    package var destination: Destination {
        switch self {
        case .calls: .calls
        case .settings: .settings
        }
    }

    /// The name of the screen for scripts.
    package var name: String {
        switch self {
        case .calls(let screen): screen.name
        case .settings: "settings"
        }
    }

    /// Whether the bar with the destinations is shown below the screen; a call has the whole window.
    package var hasBar: Bool {
        if case .calls(.call) = self { false } else { true }
    }

    package static func == (left: Screen, right: Screen) -> Bool {
        switch (left, right) {
        case (.calls(let one), .calls(let other)): one == other
        case (.settings(let one), .settings(let other)): one === other
        case (.calls, _), (.settings, _): false
        }
    }
}
