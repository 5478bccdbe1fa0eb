/// The source of commands for a running call.
enum ControlPlace: Hashable {
    case standardInput
    /// A Unix socket that this process creates at the path.
    case socket(String)

    /// Parses the value of `--control`.
    ///
    /// - Parameter text: `-` or a path.
    /// - Throws: `SettingText.Problem`.
    init(_ text: String) throws {
        guard !text.isEmpty else {
            throw SettingText.Problem("the path of the socket is empty; give a path, or - for standard input")
        }
        self = text == "-" ? .standardInput : .socket(text)
    }
}
