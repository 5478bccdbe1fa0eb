extension SessionDescription {
    /// Splits a text into lines as GStreamer's parser does: at CR, LF or CRLF (RFC 8866 §5 requires CRLF).
    ///
    /// No other code may split it differently: a line that only one of two readers recognizes would be hidden
    /// from the other.
    package static func lines(of text: String) -> [Substring] {
        let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        var lines: [Substring] = []
        // "\r\n" is a single Character, so lines are split in the UTF-8 view.
        var rest = text.utf8[...]
        while let end = rest.firstIndex(where: { $0 == lineFeed || $0 == carriageReturn }) {
            lines.append(Substring(rest[..<end]))
            let isPair = rest[end] == carriageReturn && rest[end...].dropFirst().first == lineFeed
            rest = rest[end...].dropFirst(isPair ? 2 : 1)
        }
        return lines + [Substring(rest)]
    }
}
