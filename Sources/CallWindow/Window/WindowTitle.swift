/// The title of a window, which shows the state even while the window is minimized.
struct WindowTitle: Hashable, Sendable {
    /// The parts, the most important first, such as "Bob", "Connected".
    var parts: [String] = []
    /// Whether an incoming call rings.
    var isRinging = false

    var text: String { (parts.filter { !$0.isEmpty } + ["callrunner"]).joined(separator: " · ") }
}
