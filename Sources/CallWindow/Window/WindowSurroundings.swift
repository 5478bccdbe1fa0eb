package import CallFlow

/// What a window must be told of the machine it opens on.
package struct WindowSurroundings: Hashable, Sendable {
    /// Where the texts of each language are.
    package var stringsFolder: String
    /// Of the locale.
    package var language: AppSettings.Language
    /// Whether the desktop prefers dark windows.
    package var prefersDark: Bool

    package init(
        stringsFolder: String,
        language: AppSettings.Language = .english,
        prefersDark: Bool = false
    ) {
        self.stringsFolder = stringsFolder
        self.language = language
        self.prefersDark = prefersDark
    }
}
