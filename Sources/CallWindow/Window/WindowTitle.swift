internal import WindowKit

/// The title of a window, which shows the state even while the window is minimized.
struct WindowTitle: Hashable, Sendable {
    /// The parts, the most important first, such as "Bob", "Connected".
    var parts: [String] = []
    /// Whether an incoming call rings.
    var isRinging = false

    init(parts: [String] = []) { self.parts = parts }

    /// Creates the title of an incoming call; `caller` is nil if the caller's name is unknown.
    init(ringing caller: String?, _ strings: Strings) {
        parts = ["\(caller ?? strings["common.peer"]) \(strings["room.ring"])"]
        isRinging = true
    }

    var text: String { (parts.filter { !$0.isEmpty } + ["callrunner"]).joined(separator: " · ") }
}
