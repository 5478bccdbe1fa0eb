internal import Basics
internal import CallCore

/// A message between callrunner servers, for which the classic adapter has no format.
enum NodeMessage: Equatable {
    /// The client of the socket `sid` has returned as the member `to`; with `again`, the receiving servers
    /// announce its join to their members even if they already knew the client.
    case moved(sid: String, to: RemoteMember, again: Bool)
    /// Another client has claimed the seat of the socket `sid`, whose connection was lost.
    case ousted(sid: String, room: RoomID)
    /// A server stops; its members without a key have left, because they cannot return on another server.
    case gone

    /// Encodes the message with the id of the sending server.
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
