internal import CallCore
internal import NIOCore
internal import RedisKit
internal import SocketIO

/// The places in rooms, as Redis keeps them for all servers.
struct SeatRegistry {
    /// A place is refreshed long before this is over; a server that dies loses its places by its heartbeat.
    static let timeToLive = TimeAmount.minutes(10)

    let link: RedisLink
    /// Our own id.
    let node: String
    let isOpen: Bool
    let capacity: Int
    /// Until when a server that gives no sign of life may only not have come back yet.
    var trustsUntil = NIODeadline.now()

    /// Whether who is silent is gone.
    var isTrusting: Bool { NIODeadline.now() >= trustsUntil }

    /// Asks for a place.
    ///
    /// To say `again` that it is ours, for as long as `age`, takes it from nobody but the same client, if it came later
    /// to us. A seat that `isKept` is not given where nothing is known of it: somebody is about to claim it again.
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

    /// Gives a place back, if it is still that socket's.
    @discardableResult
    func release(_ member: RemoteMember) -> EventLoopFuture<RESPValue> {
        guard isOpen else { return send(ClusterScripts.releaseSeat, seats(of: member), [member.sid]) }
        return send(
            ClusterScripts.releasePlace,
            [ClusterKeys.openRoom(member.identity.room)],
            [member.sid, member.keyHash ?? ""]
        )
    }

    /// Says that the connection is lost: somebody else may have the seat.
    func lose(sid: String, room: RoomID, role: Role) {
        guard !isOpen else { return }
        link.post(command(ClusterScripts.loseSeat, [ClusterKeys.seat(room, role)], [sid]))
    }

    /// Says that this server lives, for so long; the answer is 1 where the others knew it.
    func live(for time: TimeAmount) -> EventLoopFuture<RESPValue> {
        send(ClusterScripts.live, [ClusterKeys.heartbeat(of: node)], [time.milliseconds])
    }

    /// Says that this server stops: for so long its clients that have a key may take their places along, the others' are
    /// free.
    func stop(for time: TimeAmount) {
        link.post(RedisCommand("SET", ClusterKeys.stop(of: node), 1, "PX", Self.timeToLive.milliseconds))
        let heartbeat = ClusterKeys.heartbeat(of: node)
        guard time > .zero else { return link.post(RedisCommand("DEL", heartbeat)) }
        link.post(RedisCommand("SET", heartbeat, 0, "PX", time.milliseconds))
    }

    /// Who has a place in the room, whether or not the server lives.
    func look(_ room: RoomID) -> EventLoopFuture<RESPValue> {
        guard !isOpen else { return link.send(RedisCommand("HVALS", ClusterKeys.openRoom(room))) }
        return link.send(
            RedisCommand("MGET", ClusterKeys.seat(room, .caller), ClusterKeys.seat(room, .callee))
        )
    }

    /// A member's own seat first.
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
    /// Whole ones.
    var milliseconds: Int { Int(nanoseconds / 1_000_000) }
}
