/// The color scheme of windows.
package enum ColorScheme: String, Hashable, Sendable, CaseIterable {
    case light, dark
}

/// The appearance that the desktop prefers.
package protocol AppearancePreference: Sendable {
    /// Returns a stream of the current color scheme and each change; light if there is no preference.
    ///
    /// It supports a single consumer.
    func colorSchemes() async -> AsyncStream<ColorScheme>

    /// Returns a stream of whether animations are wanted, and each change; true if there is no preference.
    ///
    /// It supports a single consumer.
    func animations() async -> AsyncStream<Bool>
}
