internal import Basics
internal import CallCore
internal import RedisKit

/// Redis' reply to the claim of a seat in a room.
enum SeatClaim: Equatable {
    /// The seat is granted; `since` is the time of the join in milliseconds since 1970, `replaced` the
    /// previous holder on another server, if any, and `others` are the other members of the room.
    case granted(since: Int, replaced: RemoteMember?, others: [RemoteMember])
    /// The seat belongs to a member on another server or is reserved for one, or an open room is full.
    ///
    /// `holder` is nil if it is unknown. `isFull` is whether the other seat is taken, too; it is always true for an
    /// open room.
    case refused(holder: RemoteMember?, isFull: Bool)

    /// Reads the result of a claim script; nil if it is malformed.
    init?(_ answer: RESPValue, room: RoomID, isOpen: Bool) {
        guard let items = answer.items, let verdict = items.first?.integer else { return nil }
        switch verdict {
        case 1:
            guard items.count > 2, let since = items[1].integer else { return nil }
            self = .granted(
                since: since,
                replaced: RemoteMember(in: items[2], room: room),
                others: items.dropFirst(3).compactMap { RemoteMember(in: $0, room: room) }
            )
        case 0:
            let holder = items.count > 2 ? RemoteMember(in: items[2], room: room) : nil
            self = .refused(holder: holder, isFull: isOpen || items.count > 1 && !items[1].isNull)
        default: return nil
        }
    }
}

extension RemoteMember {
    /// Reads the holder of a seat from the seat's value in Redis; nil if the seat is free.
    init?(in place: RESPValue, room: RoomID) {
        guard let text = place.text, let json = try? JSON(parsing: text) else { return nil }
        self.init(json, room: room)
    }
}
