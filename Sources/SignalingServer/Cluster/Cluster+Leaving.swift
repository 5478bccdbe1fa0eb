internal import CallCore
internal import Logging
internal import NIOCore
internal import RedisKit

/// Leaving a room that several servers share.
extension Cluster {
    /// Removes a member that has left or whose grace period is over, unless it returns before its turn.
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

    /// Releases the seat, then tells the others unless the client has only moved to another server.
    private func release(_ place: RemoteMember, _ leave: @escaping () -> Void) {
        unannounced.remove(place.sid)
        guard isUp else {
            leaveAlone(place)
            return leave()
        }
        departing.insert(place.sid)
        ask(place.identity.room, seats.release(place)) { [weak self] answer, updates in
            guard let self else { return }
            departing.remove(place.sid)
            released(place, answer, updates)
            leave()
        }
    }

    private func released(_ place: RemoteMember, _ answer: RESPValue?, _ updates: [String: Int]) {
        let room = place.identity.room
        guard let release = answer.flatMap({ SeatRelease($0, room: room) }) else { return leaveAlone(place) }
        if let time = updates[place.sid], time > place.since { return }
        if release.isReturn(of: place), let holder = release.holder {
            if updates[holder.sid] == nil, !departures.contains(holder) { _ = presence.add(holder) }
            return
        }
        guard isUp else { return leaveAlone(place) }
        rooms.tellGone(place)
        publishLeft(place, isHeard: release.other.map { $0.node != node } ?? false)
    }

    /// Tells the members here of a departure; the other servers are told once Redis is back.
    private func leaveAlone(_ place: RemoteMember) {
        keepForLater(place)
        rooms.tellGone(place)
    }

    /// Announces that a member has lost its seat to another client, here or on another server.
    func replaced(_ member: Member) {
        unannounced.remove(member.sid)
        announceLeft(RemoteMember(member, node: node))
    }

    /// Announces a departure at once, or when Redis is back.
    func announceLeft(_ place: RemoteMember, isHeard: Bool = false) {
        if isUp { publishLeft(place, isHeard: isHeard) } else { keepForLater(place) }
    }

    /// Queues a seat for release when Redis is back; without a release, Redis expires it after a while.
    func keepForLater(_ place: RemoteMember) {
        guard unreleased.count >= Self.maximumUnreleased else {
            unreleased.append(place)
            guard unreleased.count == Self.maximumUnreleased else { return }
            return logger.warning(
                "too many clients left while Redis was unavailable; other servers will not be notified of all of them"
            )
        }
        // A full queue still takes a seat that other servers know, in place of one that they have never heard
        // of.
        guard place.since > 0, let index = unreleased.lastIndex(where: { $0.since == 0 }) else { return }
        unreleased[index] = place
    }

    static let maximumUnreleased = 1 << 16

    /// Releases a seat if that socket still holds it, without telling anybody.
    func release(silently place: RemoteMember) {
        guard isUp else { return keepForLater(place) }
        seats.release(place).assumeIsolated().whenFailure { [weak self] _ in self?.keepForLater(place) }
    }

    /// Removes the records of a member whose seat another client has now.
    func end(_ member: Member) {
        // Redis ignores this, unless the report of the new holder was outdated.
        if isUp { seats.release(RemoteMember(member, node: node)) }
        unannounced.remove(member.sid)
        forgetIfEmpty(member.identity.room)
    }

    /// Releases the seat of a member that left during an outage, and announces its departure.
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

    /// Marks a member's seat as lost, so that the next client on any server may take it.
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
