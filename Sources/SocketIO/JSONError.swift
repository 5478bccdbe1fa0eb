/// Why a text is not JSON (RFC 8259), and where.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with the text.
    public enum Reason: String, Hashable, Sendable {
        case unexpectedEnd = "the text ends too early"
        case unexpectedByte = "unexpected character"
        case trailingText = "text after the value"
        case invalidUTF8 = "invalid UTF-8"
        case invalidEscape = "invalid escape sequence"
        case controlCharacter = "control character in a string"
        case invalidNumber = "invalid number"
        case tooDeep = "nested too deeply"
    }

    /// What is wrong.
    public let reason: Reason

    /// The position in the text's UTF-8, from 0.
    public let offset: Int

    package init(reason: Reason, offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The reason and the position, for people.
    public var description: String { "\(reason.rawValue) at byte \(offset)" }
}
