internal import CallCore
internal import Logging
internal import NIOCore
internal import RedisKit

/// Leaving a room that several servers share.
extension Cluster {
    /// Takes out a member that has left, or whose grace is over, unless it comes back before its turn.
    func remove(_ member: Member) {
        let (room, losses) = (member.identity.room, member.losses)
        gates.enter(room) { [weak self] leave in
            guard let self, !isClosed, member.socket == nil, member.losses == losses, rooms.take(member)
            else {
                return leave()
            }
            release(RemoteMember(member, node: node), leave)
        }
    }

    /// Gives the place back; then the others are told, unless the client has only gone on elsewhere.
    private func release(_ place: RemoteMember, _ leave: @escaping () -> Void) {
        unannounced.remove(place.sid)
        guard isUp else {
            leaveAlone(place)
            return leave()
        }
        departing.insert(place.sid)
        ask(place.identity.room, seats.release(place)) { [weak self] answer, news in
            guard let self else { return }
            departing.remove(place.sid)
            released(place, answer, news)
            leave()
        }
    }

    private func released(_ place: RemoteMember, _ answer: RESPValue?, _ news: [String: Int]) {
        let room = place.identity.room
        guard let release = answer.flatMap({ SeatRelease($0, room: room) }) else { return leaveAlone(place) }
        if let time = news[place.sid], time > place.since { return }
        if release.isReturn(of: place), let holder = release.holder {
            if news[holder.sid] == nil, !departures.contains(holder) { _ = presence.add(holder) }
            return
        }
        guard isUp else { return leaveAlone(place) }
        rooms.tellGone(place)
        publishLeft(place, isHeard: release.other.map { $0.node != node } ?? false)
    }

    /// The others are told when they can be reached again.
    private func leaveAlone(_ place: RemoteMember) {
        keepForLater(place)
        rooms.tellGone(place)
    }

    /// Somebody else has a member's place here, or elsewhere.
    func replaced(_ member: Member) {
        unannounced.remove(member.sid)
        announceLeft(RemoteMember(member, node: node))
    }

    /// At once, or when the others can be reached again.
    func announceLeft(_ place: RemoteMember, isHeard: Bool = false) {
        if isUp { publishLeft(place, isHeard: isHeard) } else { keepForLater(place) }
    }

    /// Remembers to give a place back; Redis itself forgets those that are not given back after a while.
    func keepForLater(_ place: RemoteMember) {
        guard unreleased.count >= Self.maximumUnreleased else {
            unreleased.append(place)
            guard unreleased.count == Self.maximumUnreleased else { return }
            return logger.warning("too many have left while Redis is away to tell the other servers of all")
        }
        // Of who came meanwhile nobody elsewhere has heard.
        guard place.since > 0, let index = unreleased.lastIndex(where: { $0.since == 0 }) else { return }
        unreleased[index] = place
    }

    static let maximumUnreleased = 1 << 16

    /// Gives a place back, if it is still that socket's, of which nobody has to be told.
    func release(silently place: RemoteMember) {
        guard isUp else { return keepForLater(place) }
        seats.release(place).assumeIsolated().whenFailure { [weak self] _ in self?.keepForLater(place) }
    }

    /// A member's place is another's now.
    func end(_ member: Member) {
        // It is, unless what was said of that is old.
        if isUp { seats.release(RemoteMember(member, node: node)) }
        unannounced.remove(member.sid)
        forgetIfEmpty(member.identity.room)
    }

    /// Gives back, now that Redis can be asked, the place of who left while nobody elsewhere could hear it.
    func giveBack(_ place: RemoteMember, _ next: @escaping () -> Void) {
        let room = place.identity.room
        ask(inTurn: room, next) { [weak self] in
            guard let self else { return nil }
            guard isUp else {
                keepForLater(place)
                return nil
            }
            return seats.release(place)
        } _: { [weak self] answer, _ in
            guard let self else { return }
            guard let release = answer.flatMap({ SeatRelease($0, room: room) }) else {
                return keepForLater(place)
            }
            if !release.isReturn(of: place) { announceLeft(place, isHeard: true) }
        }
    }

    /// A member's connection is lost: whoever comes next on whatever server may have its place.
    func lose(_ member: Member) {
        let room = member.identity.room
        gates.enter(room) { [weak self] leave in
            defer { leave() }
            guard let self, isUp, member.socket == nil, rooms.membersByID[member.sid] === member else {
                return
            }
            seats.lose(sid: member.sid, room: room, role: member.role)
        }
    }
}
