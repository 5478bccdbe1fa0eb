/// The color scheme of windows.
package enum ColorScheme: String, Hashable, Sendable, CaseIterable {
    case light, dark
}

/// The appearance that the desktop prefers.
package protocol AppearancePreference: Sendable {
    /// Streams the present color scheme and each change; light if there is no preference.
    ///
    /// Single consumer.
    func colorSchemes() async -> AsyncStream<ColorScheme>
}
