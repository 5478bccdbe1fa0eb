public import Basics

/// A packet of the Socket.IO protocol, version 5.
public struct SocketPacket: Hashable, Sendable {
    /// The type of a packet.
    public enum Kind: Int, Hashable, Sendable {
        case connect, disconnect, event, ack, connectError, binaryEvent, binaryAck
    }

    /// The packet's type.
    public var type: Kind

    /// The packet's namespace; the main namespace is `/`.
    public var namespace: String

    /// The acknowledgement id: an event with an id requests an ack, and the ack repeats the id.
    public var ackID: Int?

    /// The payload: an array for events (the name first) and acks; an object, a string or nil for other
    /// types.
    public var payload: JSON?

    /// Creates a packet.
    public init(type: Kind, namespace: String = "/", ackID: Int? = nil, payload: JSON? = nil) {
        self.type = type
        self.namespace = namespace
        self.ackID = ackID
        self.payload = payload
    }

    /// Creates an event; its type is `binaryEvent` if an argument contains an attachment.
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

    /// Creates the ack of an event; its type is `binaryAck` if an argument contains an attachment.
    public static func ack(_ ackID: Int, _ arguments: [JSON] = [], namespace: String = "/") -> SocketPacket {
        let payload = JSON.array(arguments)
        let type: Kind = payload.containsBinary ? .binaryAck : .ack
        return SocketPacket(type: type, namespace: namespace, ackID: ackID, payload: payload)
    }

    /// The event's name; nil for other packet types.
    public var eventName: String? {
        guard type == .event || type == .binaryEvent, let name = payload?.arrayValue?.first else {
            return nil
        }
        return name.stringValue ?? name.serialized()
    }

    /// The arguments of an event or an ack; empty for other packet types.
    public var arguments: [JSON] {
        switch type {
        case .event, .binaryEvent: Array((payload?.arrayValue ?? []).dropFirst())
        case .ack, .binaryAck: payload?.arrayValue ?? []
        case .connect, .disconnect, .connectError: []
        }
    }
}

extension JSON {
    /// Whether the value contains an attachment at any depth.
    var containsBinary: Bool {
        switch self {
        case .binary: true
        case .array(let items): items.contains(where: \.containsBinary)
        case .object(let members): members.contains { $0.value.containsBinary }
        case .null, .bool, .int, .number, .string: false
        }
    }
}
