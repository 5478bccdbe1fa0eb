internal import CallCore
internal import RedisKit

/// Redis' reply to the release of a seat in a room.
struct SeatRelease: Equatable {
    /// Whether the member's socket still held the seat.
    let wasHeld: Bool
    /// Another member of the room, in an open room only if it is on another server; nil if there is none.
    let other: RemoteMember?
    /// The current holder of the seat; in an open room, the same client on another server, if any.
    let holder: RemoteMember?

    /// Reads the result of a release script; nil if it is malformed.
    init?(_ answer: RESPValue, room: RoomID) {
        guard let items = answer.items, items.count == 3, let verdict = items[0].integer else { return nil }
        wasHeld = verdict == 1
        other = RemoteMember(in: items[1], room: room)
        holder = RemoteMember(in: items[2], room: room)
    }

    /// Determines whether the client has returned on another server, so that no departure must be announced.
    func isReturn(of place: RemoteMember) -> Bool {
        guard !wasHeld, let holder, holder.node != place.node else { return false }
        return holder.isSameClient(as: place)
    }
}
