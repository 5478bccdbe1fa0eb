internal import CallCore
internal import RedisKit

/// What came of giving a place back.
struct SeatRelease: Equatable {
    /// Whether it was still that socket's.
    let wasHeld: Bool
    /// Somebody else who is in the room.
    let other: RemoteMember?
    /// Who has the place by now; in an open room, only where it is the same client.
    let holder: RemoteMember?

    /// Reads what the script returned; nil where that is something else.
    init?(_ answer: RESPValue, room: RoomID) {
        guard let items = answer.items, items.count == 3, let verdict = items[0].integer else { return nil }
        wasHeld = verdict == 1
        other = RemoteMember(in: items[1], room: room)
        holder = RemoteMember(in: items[2], room: room)
    }

    /// Whether whoever had the place goes on under another socket, so that nobody need know of the end of this.
    func isReturn(of place: RemoteMember) -> Bool {
        guard !wasHeld, let holder, holder.node != place.node else { return false }
        return holder.isSameClient(as: place)
    }
}
