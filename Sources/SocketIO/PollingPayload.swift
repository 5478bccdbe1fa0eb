/// The encoding of several Engine.IO packets in the body of an HTTP request or response.
package enum PollingPayload {
    private static let separator = UInt8(0x1E)

    /// Encodes the packets in order as one body.
    package static func encode(_ packets: [EnginePacket]) -> String {
        packets.map(\.text).joined(separator: "\u{1E}")
    }

    /// Decodes the packets of a body.
    ///
    /// - Throws: `EnginePacketError` if the body exceeds `maximumLength` bytes or `maximumCount` packets, or for
    ///   the first invalid packet.
    package static func decode(
        _ body: some Collection<UInt8>,
        maximumLength: Int,
        maximumCount: Int = .max
    ) throws(EnginePacketError) -> [EnginePacket] {
        guard body.count <= maximumLength else { throw .payloadTooLarge }
        var packets: [EnginePacket] = []
        guard maximumCount == .max || body.count(where: { $0 == separator }) < maximumCount else {
            throw .payloadTooLarge
        }
        for part in body.split(separator: separator, omittingEmptySubsequences: false) {
            guard let text = String(validating: part, as: UTF8.self) else { throw .invalidUTF8 }
            packets.append(try EnginePacket(text: text))
        }
        return packets
    }

    /// Counts the leading packets that fit into a body of `maximumLength` bytes; at least 1 if there are any.
    ///
    /// A first packet that is too large for a body is still counted, so that the receiver rejects it.
    package static func prefixLength(of packets: some Sequence<EnginePacket>, maximumLength: Int) -> Int {
        var length = 0
        var count = 0
        for packet in packets {
            length += packet.encodedLength + (count > 0 ? 1 : 0)
            if count > 0, length > maximumLength { break }
            count += 1
        }
        return count
    }
}

extension EnginePacket {
    /// The length of `text` in bytes, computed without building the text of a large packet.
    fileprivate var encodedLength: Int {
        switch self {
        case .message(let payload), .ping(let payload), .pong(let payload): 1 + payload.utf8.count
        case .binary(let bytes): 1 + (bytes.count + 2) / 3 * 4
        default: text.utf8.count
        }
    }
}
