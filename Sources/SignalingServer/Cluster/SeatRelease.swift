internal import CallCore
internal import RedisKit

/// The reply to the release of a seat.
struct SeatRelease: Equatable {
    /// Whether that socket still held the seat.
    let wasHeld: Bool
    /// Another member of the room.
    let other: RemoteMember?
    /// The seat's holder by now; in an open room, only if it is the same client.
    let holder: RemoteMember?

    /// Reads the script's result; nil if it is malformed.
    init?(_ answer: RESPValue, room: RoomID) {
        guard let items = answer.items, items.count == 3, let verdict = items[0].integer else { return nil }
        wasHeld = verdict == 1
        other = RemoteMember(in: items[1], room: room)
        holder = RemoteMember(in: items[2], room: room)
    }

    /// Determines whether the client has moved on to another socket, so that no departure is announced.
    func isReturn(of place: RemoteMember) -> Bool {
        guard !wasHeld, let holder, holder.node != place.node else { return false }
        return holder.isSameClient(as: place)
    }
}
