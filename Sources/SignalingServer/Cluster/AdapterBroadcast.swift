internal import SocketIO

/// An event for rooms, as the classic Redis adapter and the redis-emitter publish it.
///
/// MessagePack of `[uid, {type, data, nsp}, {rooms, except, flags}]`.
struct AdapterBroadcast: Hashable {
    /// Who publishes it: a server's id, or `emitter`.
    let node: String
    /// The name first, then the arguments.
    let data: [JSON]
    /// Empty for everybody.
    var rooms: [String] = []
    /// Ids of sockets that do not get it, and rooms.
    var except: [String] = []

    var packet: SocketPacket { .event(data.first?.stringValue ?? "", Array(data.dropFirst())) }

    /// Where it is published: the channel of its room where there is exactly one.
    var channel: String { rooms.count == 1 ? AdapterChannels.room(rooms[0]) : AdapterChannels.everybody }

    init(node: String, _ packet: SocketPacket, rooms: [String], except: [String] = []) {
        self.node = node
        data = packet.payload?.arrayValue ?? []
        self.rooms = rooms
        self.except = except
    }

    var encoded: [UInt8] {
        // The type stays 2 even where there are attachments: MessagePack carries bytes as they are.
        let packet: JSON = ["type": 2, "data": .array(data), "nsp": "/"]
        return MessagePackEncoder.encode([.string(node), packet, options])
    }

    private var options: JSON {
        [
            "rooms": .array(rooms.map(JSON.string)), "except": .array(except.map(JSON.string)), "flags": [:],
        ]
    }

    /// Reads what was published.
    ///
    /// - Throws: `AdapterRefusal`.
    init(_ bytes: [UInt8]) throws(AdapterRefusal) {
        guard let items = (try? MessagePackDecoder.decode(bytes))?.arrayValue, items.count >= 2,
            let node = items[0].stringValue
        else { throw .malformed }
        let options = items.count > 2 ? items[2] : [:]
        try self.init(node: node, packet: items[1], options: options)
    }

    /// Reads the parts, which a request to all servers has too.
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

    /// Each once; rooms may be numbers to JavaScript.
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
