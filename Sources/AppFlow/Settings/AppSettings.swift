package import Basics

/// The settings of the app, which do not depend on the user who logs in.
package struct AppSettings: Hashable, Sendable {
    package enum Theme: String, Hashable, Sendable, CaseIterable {
        /// The theme that the desktop prefers.
        case system
        case light, dark
    }

    /// The languages of the app, as ISO 639-1 codes.
    package enum Language: String, Hashable, Sendable, CaseIterable {
        case english = "en"
        case ukrainian = "uk"
        case russian = "ru"
    }

    /// The desktop notifications about messages and calls while the window is not in front.
    package enum Notifications: String, Hashable, Sendable, CaseIterable {
        case off
        /// Only the names of people who write or call.
        case names
        /// The names, and the texts of messages.
        case texts
    }

    package static let textScales = 0.75...2.0
    /// The text sizes that the settings offer, as factors of the normal size.
    package static let offeredTextScales = [0.85, 1, 1.25, 1.5, 2]

    /// The URL of the signaling server; nil for the default server, which the app runs itself if nothing
    /// listens at that URL.
    package var server: String?
    package var theme = Theme.system
    /// The language of the app; nil for the language of the locale.
    package var language: Language?
    /// The text size as a factor of the normal size.
    package var textScale = 1.0
    /// Whether calls that arrive while the room is shown are answered without asking.
    package var answersAutomatically = false
    /// The devices selected for calls, by kind; for a missing kind, the system chooses the device.
    package var devices: [MediaDevice.Kind: MediaDevice] = [:]

    package var notifications = Notifications.names

    package init() {}

    /// Whether the server's URL refers to this computer, as with `localhost`.
    var isLocal: Bool {
        guard let server else { return true }
        let address = server.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first ?? ""
        if address.hasPrefix("[") { return address.hasPrefix("[::1]") }
        let host = address.prefix { $0 != ":" }.lowercased()
        return host == "localhost" || host.hasPrefix("127.")
    }
}
