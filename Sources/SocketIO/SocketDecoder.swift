internal import Basics

/// A decoder for the Socket.IO packets of one connection; a packet is a text message followed by its
/// attachments.
///
/// After an error, close the connection and discard the decoder.
package struct SocketDecoder: Sendable {
    /// The maximum number of attachments of a packet, as in the official parser.
    package static let maximumAttachments = 10

    /// The event names reserved by the official libraries.
    private static let reservedNames: Set<String> = [
        "connect", "connect_error", "disconnect", "disconnecting", "newListener", "removeListener",
    ]

    /// A packet with attachments that have not all been received.
    private struct Incomplete {
        var packet: SocketPacket
        let count: Int
        var attachments: [[UInt8]] = []
    }

    private var incomplete: Incomplete?

    package init() {}

    /// Whether attachments of the last packet are still missing.
    package var awaitsAttachments: Bool { incomplete != nil }

    /// Decodes a text message; nil if attachments of the packet are still missing.
    ///
    /// - Throws: `SocketParseError` for an invalid Socket.IO 5 packet, and for a text message while an
    ///   attachment is expected.
    package mutating func decode(text: String) throws(SocketParseError) -> SocketPacket? {
        guard incomplete == nil else { throw .attachmentExpected }
        var header = SocketHeader(text)
        let type = try header.readType()
        let count = try header.readAttachmentCount(of: type)
        let namespace = header.readNamespace()
        let ackID = try header.readAckID()
        let payload = try header.readPayload()
        guard Self.isLegal(payload, of: type) else { throw .illegalPayload(type) }
        let packet = SocketPacket(type: type, namespace: namespace, ackID: ackID, payload: payload)
        return try attaching(to: Incomplete(packet: packet, count: count))
    }

    /// Adds an attachment and returns the packet that it completes; nil if further attachments are missing.
    ///
    /// - Throws: `SocketParseError` if no attachment is expected or a placeholder is invalid.
    package mutating func decode(attachment: [UInt8]) throws(SocketParseError) -> SocketPacket? {
        guard var waiting = incomplete else { throw .unexpectedAttachment }
        waiting.attachments.append(attachment)
        return try attaching(to: waiting)
    }

    private mutating func attaching(to waiting: Incomplete) throws(SocketParseError) -> SocketPacket? {
        guard waiting.attachments.count == waiting.count else {
            incomplete = waiting
            return nil
        }
        incomplete = nil
        var packet = waiting.packet
        if packet.type == .binaryEvent || packet.type == .binaryAck {
            var attachments = waiting.attachments.map(Optional.some)
            packet.payload = try packet.payload?.attachingBinary(from: &attachments)
        }
        return packet
    }

    private static func isLegal(_ payload: JSON?, of type: SocketPacket.Kind) -> Bool {
        switch (type, payload) {
        case (.connect, nil), (.connect, .object), (.disconnect, nil): true
        case (.connectError, .object), (.connectError, .string): true
        case (.event, .array(let items)), (.binaryEvent, .array(let items)):
            switch items.first {
            case .string(let name): !reservedNames.contains(name)
            case .int, .number: true
            default: false
            }
        case (.ack, .array), (.binaryAck, .array): true
        case (.connect, _), (.disconnect, _), (.connectError, _), (.event, _), (.binaryEvent, _), (.ack, _),
            (.binaryAck, _):
            false
        }
    }
}

extension JSON {
    /// Replaces each placeholder with its attachment.
    ///
    /// Each attachment is used at most once. Official senders never refer to an attachment twice, and a
    /// packet with repeated references would grow without bound when it is forwarded.
    fileprivate func attachingBinary(from attachments: inout [[UInt8]?]) throws(SocketParseError) -> JSON {
        switch self {
        case .array(let items):
            var result: [JSON] = []
            for item in items { result.append(try item.attachingBinary(from: &attachments)) }
            return .array(result)
        case .object(let members) where members["_placeholder"] == true:
            guard let number = members["num"]?.intValue, attachments.indices.contains(number),
                let bytes = attachments[number]
            else { throw .illegalPlaceholder }
            attachments[number] = nil
            return .binary(bytes)
        case .object(let members):
            var pairs: [(String, JSON)] = []
            for (key, value) in members { pairs.append((key, try value.attachingBinary(from: &attachments))) }
            return .object(JSONObject(pairs))
        case .null, .bool, .int, .number, .string, .binary:
            return self
        }
    }
}
