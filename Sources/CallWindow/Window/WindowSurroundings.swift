package import AppFlow

/// The properties of the environment that a window needs when it opens.
package struct WindowSurroundings: Hashable, Sendable {
    /// The folder with one file of texts per language.
    package var stringsFolder: String
    /// The language of the locale.
    package var language: AppSettings.Language
    /// Whether the desktop prefers dark windows.
    package var prefersDark: Bool
    /// The environment variables, some of which indicate the user's country.
    package var environment: [String: String]
    /// The version of the program, as shown in the settings.
    package var version: String

    package init(
        stringsFolder: String,
        language: AppSettings.Language = .english,
        prefersDark: Bool = false,
        environment: [String: String] = [:],
        version: String = ""
    ) {
        self.stringsFolder = stringsFolder
        self.language = language
        self.prefersDark = prefersDark
        self.environment = environment
        self.version = version
    }
}
