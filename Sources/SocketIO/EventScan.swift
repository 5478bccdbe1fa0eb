/// What a relay has to know of an event in order to pass its text on as it is.
///
/// Found without decoding, and only of plain events: of namespace `/`, without attachments, with a name
/// free of escape sequences. All others, and what is no packet, are for `SocketDecoder`.
package struct EventScan: Hashable, Sendable {
    /// Where the name stands in the text, without its quotes.
    package let name: Range<Int>
    /// Whether the sender wants an ack.
    package let asksForAck: Bool
    /// The member `from` of the first argument.
    package let sender: SenderField

    /// Scans an Engine.IO message's text from the Socket.IO type on; nil where it is no plain event.
    ///
    /// - Parameters:
    ///   - text: Valid UTF-8.
    ///   - start: Where the Socket.IO packet begins in it.
    package init?(_ text: Span<UInt8>, from start: Int) {
        guard start < text.count, text[start] == UInt8(ascii: "2") else { return nil }
        var position = start + 1
        while position < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[position]) {
            position += 1
        }
        // As many digits as fit a number for certain.
        guard position - start <= 18, position + 1 < text.count, text[position] == UInt8(ascii: "["),
            text[position + 1] == UInt8(ascii: "\"")
        else { return nil }
        asksForAck = position > start + 1
        let nameStart = position + 2
        var nameEnd = nameStart
        while nameEnd < text.count, text[nameEnd] != UInt8(ascii: "\"") {
            guard text[nameEnd] != UInt8(ascii: "\\"), text[nameEnd] >= 0x20 else { return nil }
            nameEnd += 1
        }
        name = nameStart..<nameEnd
        var arguments = ArgumentScanner(at: nameEnd + 1)
        guard arguments.scan(text) else { return nil }
        sender = arguments.sender
        for reserved in Self.reservedNames where matches(reserved, in: text) { return nil }
    }

    /// Whether the event's name is that word.
    package func matches(_ word: StaticString, in text: Span<UInt8>) -> Bool {
        guard word.utf8CodeUnitCount == name.count else { return false }
        for offset in 0..<name.count where text[name.lowerBound + offset] != word.utf8Start[offset] {
            return false
        }
        return true
    }

    /// Names that the official libraries keep for events of their own; to refuse them is the decoder's part.
    private static let reservedNames: [StaticString] = [
        "connect", "connect_error", "disconnect", "disconnecting", "newListener", "removeListener",
    ]
}
