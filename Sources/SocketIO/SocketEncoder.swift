internal import Basics

/// An encoder for Socket.IO packets.
package enum SocketEncoder {
    /// An encoded packet: one text message, then one binary message per attachment.
    package struct Frames: Hashable, Sendable {
        package var text: String
        package var attachments: [[UInt8]]

        package init(text: String, attachments: [[UInt8]]) {
            self.text = text
            self.attachments = attachments
        }
    }

    /// Encodes a packet as its text and its attachments in depth-first order.
    ///
    /// An event or ack is encoded as binary if its payload contains attachments. Official receivers reject
    /// more than `SocketDecoder.maximumAttachments` attachments; the caller must check the number.
    package static func encode(_ packet: SocketPacket) -> Frames {
        var attachments: [[UInt8]] = []
        let payload = packet.payload.map { $0.detachingBinary(into: &attachments) }
        let isBinary = !attachments.isEmpty
        let type: SocketPacket.Kind =
            switch packet.type {
            case .event, .binaryEvent: isBinary ? .binaryEvent : .event
            case .ack, .binaryAck: isBinary ? .binaryAck : .ack
            case .connect, .disconnect, .connectError: packet.type
            }
        var text = Array(type.rawValue.description.utf8)
        if isBinary { text.append(contentsOf: "\(attachments.count)-".utf8) }
        if packet.namespace != "/" { text.append(contentsOf: "\(packet.namespace),".utf8) }
        if let ackID = packet.ackID { text.append(contentsOf: ackID.description.utf8) }
        payload?.write(to: &text)
        return Frames(text: String(decoding: text, as: UTF8.self), attachments: attachments)
    }
}

extension JSON {
    /// Replaces each attachment with a placeholder and appends it to `attachments`.
    fileprivate func detachingBinary(into attachments: inout [[UInt8]]) -> JSON {
        switch self {
        case .binary(let bytes):
            attachments.append(bytes)
            return ["_placeholder": true, "num": .int(attachments.count - 1)]
        case .array(let items) where containsBinary:
            return .array(items.map { $0.detachingBinary(into: &attachments) })
        case .object(let members) where containsBinary:
            return .object(JSONObject(members.map { ($0.key, $0.value.detachingBinary(into: &attachments)) }))
        case .null, .bool, .int, .number, .string, .array, .object:
            return self
        }
    }
}
