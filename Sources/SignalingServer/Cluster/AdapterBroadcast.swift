internal import Basics
internal import SocketIO

/// An event published to rooms, in the format of the classic Socket.IO Redis adapter and of redis-emitter.
///
/// The format is the MessagePack encoding of `[uid, {type, data, nsp}, {rooms, except, flags}]`.
struct AdapterBroadcast: Hashable {
    /// The publisher: a server's id, or `emitter`.
    let node: String
    /// The event's name, followed by the arguments.
    let data: [JSON]
    /// The recipients' rooms; empty for all clients.
    var rooms: [String] = []
    /// The sockets and rooms that do not receive the event.
    var except: [String] = []

    var packet: SocketPacket { .event(data.first?.stringValue ?? "", Array(data.dropFirst())) }

    /// The Redis channel to publish on: the room's own if there is exactly one room, else the one for all
    /// clients.
    var channel: String { rooms.count == 1 ? AdapterChannels.room(rooms[0]) : AdapterChannels.everybody }

    init(node: String, _ packet: SocketPacket, rooms: [String], except: [String] = []) {
        self.node = node
        data = packet.payload?.arrayValue ?? []
        self.rooms = rooms
        self.except = except
    }

    var encoded: [UInt8] {
        // The type is 2 (EVENT) even with binary attachments, because MessagePack can contain bytes.
        let packet: JSON = ["type": 2, "data": .array(data), "nsp": "/"]
        return MessagePackEncoder.encode([.string(node), packet, options])
    }

    private var options: JSON {
        [
            "rooms": .array(rooms.map(JSON.string)), "except": .array(except.map(JSON.string)), "flags": [:],
        ]
    }

    /// Decodes a published message.
    ///
    /// - Throws: `AdapterRefusal`.
    init(_ bytes: [UInt8]) throws(AdapterRefusal) {
        guard let items = (try? MessagePackDecoder.decode(bytes))?.arrayValue, items.count >= 2,
            let node = items[0].stringValue
        else { throw .malformed }
        let options = items.count > 2 ? items[2] : [:]
        try self.init(node: node, packet: items[1], options: options)
    }

    /// Decodes the packet and the options, which broadcasts and broadcast requests have in common.
    ///
    /// - Throws: `AdapterRefusal`.
    init(node: String, packet: JSON, options: JSON) throws(AdapterRefusal) {
        guard node.utf8.count <= RemoteMember.maximumID else { throw .malformed }
        guard packet["nsp"]?.stringValue ?? "/" == "/" else { throw .otherNamespace }
        guard let type = packet["type"]?.intValue, type == 2 || type == 5,
            let data = packet["data"]?.arrayValue, let name = data.first?.stringValue,
            !Self.reservedNames.contains(name)
        else { throw .malformed }
        self.node = node
        self.data = data
        rooms = try Self.names(options["rooms"])
        except = try Self.names(options["except"])
    }

    /// Reads a list of room or socket names, without duplicates; numbers are accepted too, as rooms in
    /// JavaScript may be numbers.
    static func names(_ list: JSON?) throws(AdapterRefusal) -> [String] {
        guard let list, !list.isNull else { return [] }
        guard let items = list.arrayValue, items.count <= maximumNames else { throw .malformed }
        var names: [String] = []
        var seen: Set<String> = []
        for item in items {
            guard let name = item.stringValue ?? item.intValue.map(String.init) else { throw .malformed }
            if seen.insert(name).inserted { names.append(name) }
        }
        return names
    }

    private static let maximumNames = 4096
    private static let reservedNames: Set<String> = [
        "connect", "connect_error", "disconnect", "disconnecting", "newListener", "removeListener",
    ]
}
