internal import CallCore
internal import SocketIO

/// A message between callrunner servers that the classic adapter has no format for.
enum NodeMessage: Equatable {
    /// A client has returned on another server; with `again`, the room is told that it joined.
    case moved(sid: String, to: RemoteMember, again: Bool)
    /// Another client has taken the seat of a member whose connection was lost.
    case ousted(sid: String, room: RoomID)
    /// A server stops; its members without a key are gone, because they cannot return elsewhere.
    case gone

    /// Encodes the message as sent by that server.
    func json(from node: String) -> JSON {
        switch self {
        case .moved(let sid, let member, let again):
            [
                "node": .string(node), "type": "moved", "room": .int(member.identity.room.value),
                "sid": .string(sid), "to": member.json, "again": .bool(again),
            ]
        case .ousted(let sid, let room):
            ["node": .string(node), "type": "ousted", "room": .int(room.value), "sid": .string(sid)]
        case .gone: ["node": .string(node), "type": "gone"]
        }
    }

    /// Decodes a message and the id of its sender.
    ///
    /// - Throws: `AdapterRefusal`.
    static func read(_ bytes: [UInt8]) throws(AdapterRefusal) -> (node: String, message: NodeMessage) {
        guard let json = try? JSON(parsing: bytes), let node = json["node"]?.stringValue,
            RemoteMember.isID(node)
        else { throw .malformed }
        return (node, try NodeMessage(json))
    }

    private init(_ json: JSON) throws(AdapterRefusal) {
        let room = json["room"]?.intValue.flatMap { try? RoomID(String($0)) }
        let sid = json["sid"]?.stringValue.flatMap { RemoteMember.isID($0) ? $0 : nil }
        switch (json["type"]?.stringValue, room, sid) {
        case ("moved", let room?, let sid?):
            guard let member = RemoteMember(json["to"], room: room) else { throw .malformed }
            self = .moved(sid: sid, to: member, again: json["again"]?.boolValue ?? false)
        case ("ousted", let room?, let sid?): self = .ousted(sid: sid, room: room)
        case ("gone", _, _): self = .gone
        case ("moved", _, _), ("ousted", _, _), (nil, _, _): throw .malformed
        default: throw .unsupported
        }
    }
}
