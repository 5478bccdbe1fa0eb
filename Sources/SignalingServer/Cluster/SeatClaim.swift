internal import CallCore
internal import NIOCore
internal import RedisKit
internal import SocketIO

/// What came of asking for a place in a room.
enum SeatClaim: Equatable {
    /// It is there; `replaced` had it before, and is on another server.
    case granted(replaced: RemoteMember?, others: [RemoteMember])
    /// Somebody on another server has it.
    case refused(holder: RemoteMember?, isFull: Bool)

    /// Reads what the script returned; nil where that is something else.
    init?(_ answer: RESPValue, room: RoomID, isOpen: Bool) {
        guard let items = answer.items, let verdict = items.first?.integer else { return nil }
        switch verdict {
        case 1:
            let old = items.count > 1 ? RemoteMember(in: items[1], room: room) : nil
            self = .granted(
                replaced: old,
                others: items.dropFirst(2).compactMap { RemoteMember(in: $0, room: room) }
            )
        case 0:
            let holder = items.count > 2 ? RemoteMember(in: items[2], room: room) : nil
            self = .refused(holder: holder, isFull: isOpen || items.count > 1 && !items[1].isNull)
        default: return nil
        }
    }
}

extension RemoteMember {
    /// Reads who has a place; nil where it is free.
    init?(in place: RESPValue, room: RoomID) {
        guard let text = place.text, let json = try? JSON(parsing: text) else { return nil }
        self.init(json, room: room)
    }
}

/// The places in rooms, as Redis keeps them for all servers.
struct SeatRegistry {
    /// A place is refreshed long before this is over; a server that dies loses its places by its heartbeat.
    static let timeToLive = TimeAmount.minutes(10)

    let link: RedisLink
    /// Our own id.
    let node: String
    let isOpen: Bool
    let capacity: Int

    /// Asks for a place.
    ///
    /// To say `again` that it is ours takes it from nobody: who has come since to another server is newer.
    func claim(_ member: RemoteMember, again: Bool = false) -> EventLoopFuture<RESPValue> {
        let room = member.identity.room
        let milliseconds = Int(Self.timeToLive.nanoseconds / 1_000_000)
        let value = member.json.serialized()
        let key = member.keyHash ?? ""
        if isOpen {
            return link.send(
                RedisCommand(
                    "EVAL",
                    ClusterScripts.claimPlace,
                    1,
                    ClusterKeys.openRoom(room),
                    node,
                    value,
                    milliseconds,
                    key,
                    ClusterKeys.heartbeats,
                    member.sid,
                    capacity
                )
            )
        }
        let other: Role = member.role == .caller ? .callee : .caller
        return link.send(
            RedisCommand(
                "EVAL",
                ClusterScripts.claimSeat,
                2,
                ClusterKeys.seat(room, member.role),
                ClusterKeys.seat(room, other),
                node,
                value,
                milliseconds,
                key,
                ClusterKeys.heartbeats,
                again ? 1 : 0
            )
        )
    }

    /// Gives a place back; the answer is 1 where it was still that socket's.
    func release(sid: String, room: RoomID, role: Role) -> EventLoopFuture<RESPValue> {
        guard !isOpen else { return link.send(RedisCommand("HDEL", ClusterKeys.openRoom(room), sid)) }
        let seat = ClusterKeys.seat(room, role)
        return link.send(RedisCommand("EVAL", ClusterScripts.releaseSeat, 1, seat, sid))
    }

    /// Says that the connection is lost: somebody else may have the seat.
    func lose(sid: String, room: RoomID, role: Role) {
        guard !isOpen else { return }
        link.post(RedisCommand("EVAL", ClusterScripts.loseSeat, 1, ClusterKeys.seat(room, role), sid))
    }

    /// Who has a place in the room, whether or not the server lives.
    func look(_ room: RoomID) -> EventLoopFuture<RESPValue> {
        guard !isOpen else { return link.send(RedisCommand("HVALS", ClusterKeys.openRoom(room))) }
        return link.send(
            RedisCommand("MGET", ClusterKeys.seat(room, .caller), ClusterKeys.seat(room, .callee))
        )
    }
}
