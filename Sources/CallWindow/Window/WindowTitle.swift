/// The title of a window, which describes its state when nothing else is visible.
struct WindowTitle: Hashable, Sendable {
    /// The parts, the most important first, such as "Bob", "Connected".
    var parts: [String] = []
    /// Whether an incoming call rings.
    var isRinging = false

    var text: String { (parts.filter { !$0.isEmpty } + ["callrunner"]).joined(separator: " · ") }
}
