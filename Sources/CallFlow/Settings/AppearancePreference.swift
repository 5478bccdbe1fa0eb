/// How bright windows are.
package enum ColorScheme: String, Hashable, Sendable, CaseIterable {
    case light, dark
}

/// Knows what the desktop prefers.
package protocol AppearancePreference: Sendable {
    /// The present scheme, and then each change; light where nobody says.
    ///
    /// Single consumer.
    func colorSchemes() async -> AsyncStream<ColorScheme>
}
