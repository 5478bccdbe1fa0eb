/// A packet of the Socket.IO protocol, version 5.
public struct SocketPacket: Hashable, Sendable {
    /// What a packet is for.
    public enum Kind: Int, Hashable, Sendable {
        case connect, disconnect, event, ack, connectError, binaryEvent, binaryAck
    }

    /// What the packet is for.
    public var type: Kind

    /// The namespace it belongs to; `/` is the one that everybody has.
    public var namespace: String

    /// The number under which an answer is awaited, or of what this answers.
    public var ackID: Int?

    /// An array for events (the name first) and acks, an object or nothing for the others.
    public var payload: JSON?

    /// A packet of the given parts.
    public init(type: Kind, namespace: String = "/", ackID: Int? = nil, payload: JSON? = nil) {
        self.type = type
        self.namespace = namespace
        self.ackID = ackID
        self.payload = payload
    }

    /// An event with its arguments; a binary one where there is an attachment among them.
    public static func event(
        _ name: String,
        _ arguments: [JSON] = [],
        namespace: String = "/",
        ackID: Int? = nil
    ) -> SocketPacket {
        let payload = JSON.array([.string(name)] + arguments)
        let type: Kind = payload.containsBinary ? .binaryEvent : .event
        return SocketPacket(type: type, namespace: namespace, ackID: ackID, payload: payload)
    }

    /// The answer to the event of that ack id; a binary one where there is an attachment in it.
    public static func ack(_ ackID: Int, _ arguments: [JSON] = [], namespace: String = "/") -> SocketPacket {
        let payload = JSON.array(arguments)
        let type: Kind = payload.containsBinary ? .binaryAck : .ack
        return SocketPacket(type: type, namespace: namespace, ackID: ackID, payload: payload)
    }

    /// The name of the event; nil for a packet of another kind.
    public var eventName: String? {
        guard type == .event || type == .binaryEvent, let name = payload?.arrayValue?.first else {
            return nil
        }
        return name.stringValue ?? name.serialized()
    }

    /// The arguments of an event or an ack; empty for a packet of another kind.
    public var arguments: [JSON] {
        switch type {
        case .event, .binaryEvent: Array((payload?.arrayValue ?? []).dropFirst())
        case .ack, .binaryAck: payload?.arrayValue ?? []
        case .connect, .disconnect, .connectError: []
        }
    }
}

extension JSON {
    /// Whether there is an attachment anywhere in the value.
    package var containsBinary: Bool {
        switch self {
        case .binary: true
        case .array(let items): items.contains(where: \.containsBinary)
        case .object(let members): members.contains { $0.value.containsBinary }
        case .null, .bool, .int, .number, .string: false
        }
    }
}
