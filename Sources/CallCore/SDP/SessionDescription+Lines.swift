extension SessionDescription {
    /// The lines of a text as GStreamer's parser cuts them: at CR, LF, or both together (RFC 8866 §5 wants both).
    ///
    /// Nobody may cut them otherwise: what one reader took for a line of its own and the other did not would be hidden
    /// from one of them.
    package static func lines(of text: String) -> [Substring] {
        let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        var lines: [Substring] = []
        // "\r\n" is a single Character, so lines are cut in the UTF-8 view.
        var rest = text.utf8[...]
        while let end = rest.firstIndex(where: { $0 == lineFeed || $0 == carriageReturn }) {
            lines.append(Substring(rest[..<end]))
            let isPair = rest[end] == carriageReturn && rest[end...].dropFirst().first == lineFeed
            rest = rest[end...].dropFirst(isPair ? 2 : 1)
        }
        return lines + [Substring(rest)]
    }
}
