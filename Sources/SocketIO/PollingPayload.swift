/// Several Engine.IO packets in the body of one HTTP request or response.
package enum PollingPayload {
    private static let separator = UInt8(0x1E)

    /// The body that carries the packets, in their order.
    package static func encode(_ packets: [EnginePacket]) -> String {
        packets.map(\.text).joined(separator: "\u{1E}")
    }

    /// The packets of a body.
    ///
    /// - Throws: `EnginePacketError` for a body of more than `maximumLength` bytes and for the first
    ///   packet that is none.
    package static func decode(
        _ body: some Collection<UInt8>,
        maximumLength: Int
    ) throws(EnginePacketError) -> [EnginePacket] {
        guard body.count <= maximumLength else { throw .payloadTooLarge }
        var packets: [EnginePacket] = []
        for part in body.split(separator: separator, omittingEmptySubsequences: false) {
            guard let text = String(validating: part, as: UTF8.self) else { throw .invalidUTF8 }
            packets.append(try EnginePacket(text: text))
        }
        return packets
    }

    /// How many of the packets one body of at most `maximumLength` bytes can carry; at least 1, where
    /// there is one: a single packet too large is for the receiver to refuse.
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
    /// The bytes of `text`, known without making it of a large packet.
    fileprivate var encodedLength: Int {
        switch self {
        case .message(let payload), .ping(let payload), .pong(let payload): 1 + payload.utf8.count
        case .binary(let bytes): 1 + (bytes.count + 2) / 3 * 4
        default: text.utf8.count
        }
    }
}
