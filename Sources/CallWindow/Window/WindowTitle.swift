/// What a window says where only its name is seen.
struct WindowTitle: Hashable, Sendable {
    /// From what matters most, as in "Bob", "Connected".
    var parts: [String] = []
    /// Whether somebody calls, and waits for an answer.
    var isRinging = false

    var text: String { (parts.filter { !$0.isEmpty } + ["callrunner"]).joined(separator: " · ") }
}
