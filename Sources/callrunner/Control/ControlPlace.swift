/// Where commands for a running call come from.
enum ControlPlace: Hashable {
    case standardInput
    /// A Unix socket that this process makes.
    case socket(String)

    /// - Parameter text: `-`, or a path.
    /// - Throws: `SettingText.Problem`.
    init(_ text: String) throws {
        guard !text.isEmpty else {
            throw SettingText.Problem("an empty name is no socket; give - for standard input, or a path")
        }
        self = text == "-" ? .standardInput : .socket(text)
    }
}
