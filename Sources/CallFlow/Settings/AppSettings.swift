package import CallCore

/// How a person wants the app to be, whoever they call themselves.
package struct AppSettings: Hashable, Sendable {
    package enum Theme: String, Hashable, Sendable, CaseIterable {
        /// As the desktop prefers.
        case system
        case light, dark
    }

    /// ISO 639-1.
    package enum Language: String, Hashable, Sendable, CaseIterable {
        case english = "en"
        case ukrainian = "uk"
        case russian = "ru"
    }

    package static let textScales = 0.75...2.0

    /// The signaling server's URL; nil for the default one, which is embedded where nothing listens.
    package var server: String?
    package var theme = Theme.system
    /// Nil for the locale's.
    package var language: Language?
    /// How large texts are, of their usual size.
    package var textScale = 1.0
    /// Whether calls that come while the room is shown are answered without asking.
    package var answersByItself = false
    /// What was chosen in calls; a kind that is missing is the system's to choose.
    package var devices: [CallDevice.Kind: CallDevice] = [:]

    package init() {}

    /// Whether the server's address means this computer, wherever it is read.
    var isLocal: Bool {
        guard let server else { return true }
        let address = server.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first ?? ""
        if address.hasPrefix("[") { return address.hasPrefix("[::1]") }
        let host = address.prefix { $0 != ":" }.lowercased()
        return host == "localhost" || host.hasPrefix("127.")
    }
}
