internal import Basics
internal import CallCore
internal import NIOCore
internal import RedisKit

/// The seats in rooms, which are stored in Redis for all servers.
///
/// A seat gives one client a role in a room, or an entry in an open room.
///
/// Confined to the server's event loop.
final class SeatRegistry {
    /// The time after which Redis deletes a seat.
    ///
    /// Servers refresh their seats earlier. The seats of a failed server become free when its heartbeat
    /// expires.
    static let timeToLive = TimeAmount.minutes(10)

    let link: RedisLink
    /// The id of this server.
    let node: String
    let isOpen: Bool
    private let capacity: Int
    /// The time until which a server without a heartbeat is treated as reconnecting, not as failed.
    var trustsUntil = NIODeadline.now()

    init(link: RedisLink, node: String, isOpen: Bool, capacity: Int) {
        self.link = link
        self.node = node
        self.isOpen = isOpen
        self.capacity = capacity
    }

    /// Whether a server without a heartbeat is treated as failed.
    var isTrusting: Bool { NIODeadline.now() >= trustsUntil }

    /// Claims a member's seat in its room.
    ///
    /// With `again`, a member that has been on this server for `age` repeats its claim. A repeated claim
    /// takes the seat from another server only if an earlier connection of the same client holds it. With
    /// `isKept`, a seat without a value in Redis is not granted, because its holder is about to claim it
    /// again.
    func claim(
        _ member: RemoteMember,
        again: Bool = false,
        age: TimeAmount = .zero,
        isKept: Bool = false
    ) -> EventLoopFuture<RESPValue> {
        let arguments: [any RedisWord] = [
            member.json.serialized(), Self.timeToLive.milliseconds, again ? 1 : 0, age.milliseconds,
            isKept && !isOpen ? 1 : 0,
        ]
        guard isOpen else {
            return send(ClusterScripts.claimSeat, seats(of: member), arguments)
        }
        return send(
            ClusterScripts.claimPlace,
            [ClusterKeys.openRoom(member.identity.room)],
            arguments + [capacity]
        )
    }

    /// Releases a member's seat if the member's socket still holds it.
    @discardableResult
    func release(_ member: RemoteMember) -> EventLoopFuture<RESPValue> {
        guard isOpen else { return send(ClusterScripts.releaseSeat, seats(of: member), [member.sid]) }
        return send(
            ClusterScripts.releasePlace,
            [ClusterKeys.openRoom(member.identity.room)],
            [member.sid, member.keyHash ?? ""]
        )
    }

    /// Marks the connection of a seat's holder as lost, so that another client may claim the seat.
    func lose(sid: String, room: RoomID, role: Role) {
        guard !isOpen else { return }
        link.post(command(ClusterScripts.loseSeat, [ClusterKeys.seat(room, role)], [sid]))
    }

    /// Sends a heartbeat that expires after `time`; the reply is 1 if the previous heartbeat had not expired.
    func live(for time: TimeAmount) -> EventLoopFuture<RESPValue> {
        send(ClusterScripts.live, [ClusterKeys.heartbeat(of: node)], [time.milliseconds])
    }

    /// Marks this server as stopped.
    ///
    /// Until `time` has passed, its clients with a key may claim their seats on another server; the other
    /// seats become free immediately.
    func stop(for time: TimeAmount) {
        link.post(RedisCommand("SET", ClusterKeys.stop(of: node), 1, "PX", Self.timeToLive.milliseconds))
        let heartbeat = ClusterKeys.heartbeat(of: node)
        guard time > .zero else { return link.post(RedisCommand("DEL", heartbeat)) }
        link.post(RedisCommand("SET", heartbeat, 0, "PX", time.milliseconds))
    }

    /// Reads the members with a seat in the room, whether or not their servers are alive.
    func look(_ room: RoomID) -> EventLoopFuture<RESPValue> {
        guard !isOpen else { return link.send(RedisCommand("HVALS", ClusterKeys.openRoom(room))) }
        return link.send(
            RedisCommand("MGET", ClusterKeys.seat(room, .caller), ClusterKeys.seat(room, .callee))
        )
    }

    /// Lists the keys of a room's two seats, beginning with the member's own.
    private func seats(of member: RemoteMember) -> [String] {
        let other: Role = member.role == .caller ? .callee : .caller
        return [member.role, other].map { ClusterKeys.seat(member.identity.room, $0) }
    }

    private func send(_ script: String, _ keys: [String], _ arguments: [any RedisWord])
        -> EventLoopFuture<RESPValue>
    {
        link.send(command(script, keys, arguments))
    }

    private func command(_ script: String, _ keys: [String], _ arguments: [any RedisWord]) -> RedisCommand {
        let common: [any RedisWord] = [node, ClusterKeys.heartbeats, isTrusting ? 1 : 0]
        return RedisCommand(["EVAL", script, keys.count] + keys + common + arguments)
    }
}

extension TimeAmount {
    /// The time in whole milliseconds, rounded toward zero.
    var milliseconds: Int { Int(nanoseconds / 1_000_000) }
}
