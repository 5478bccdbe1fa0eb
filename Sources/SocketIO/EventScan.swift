/// The parts of an event packet that a relay needs to forward its text unchanged.
///
/// The packet is scanned instead of decoded, and only if it is a plain event: an event in namespace `/`
/// without attachments, and with a name without escape sequences. `SocketDecoder` handles all other packets
/// and rejects malformed ones.
package struct EventScan: Hashable, Sendable {
    /// The range of the event's name in the text, without quotes.
    package let name: Range<Int>
    /// Whether the sender requests an acknowledgement.
    package let asksForAck: Bool
    /// The `from` member of the first argument.
    package let sender: SenderField

    /// Scans a Socket.IO packet in an Engine.IO message; nil unless it is a plain event.
    ///
    /// - Parameters:
    ///   - text: The message, which must be valid UTF-8.
    ///   - start: The offset of the Socket.IO packet in the text.
    package init?(_ text: Span<UInt8>, from start: Int) {
        guard start < text.count, text[start] == UInt8(ascii: "2") else { return nil }
        var position = start + 1
        while position < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[position]) {
            position += 1
        }
        // The ack id may have at most 17 digits, which always fit into an Int.
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

    /// Checks whether the event's name equals `word`.
    package func matches(_ word: StaticString, in text: Span<UInt8>) -> Bool {
        guard word.utf8CodeUnitCount == name.count else { return false }
        for offset in 0..<name.count where text[name.lowerBound + offset] != word.utf8Start[offset] {
            return false
        }
        return true
    }

    /// The event names reserved by the official libraries; `SocketDecoder` rejects them.
    private static let reservedNames: [StaticString] = [
        "connect", "connect_error", "disconnect", "disconnecting", "newListener", "removeListener",
    ]
}
