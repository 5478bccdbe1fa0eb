/// The reason why a text is not JSON (RFC 8259), and its position.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of JSON errors.
    public enum Reason: String, Hashable, Sendable {
        case unexpectedEnd = "the text ends too early"
        case unexpectedByte = "unexpected character"
        case trailingText = "text after the value"
        case invalidUTF8 = "invalid UTF-8"
        case invalidEscape = "invalid escape sequence"
        case controlCharacter = "control character in a string"
        case invalidNumber = "invalid number"
        case tooDeep = "nested too deeply"
        case tooMany = "too many values"
    }

    /// The kind of error.
    public let reason: Reason

    /// The offset of the error in the text, in bytes of UTF-8 from 0.
    public let offset: Int

    package init(reason: Reason, offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// A message with the reason and the offset.
    public var description: String { "\(reason.rawValue) at byte \(offset)" }
}
