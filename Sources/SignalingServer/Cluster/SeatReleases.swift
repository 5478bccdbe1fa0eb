internal import CallCore
internal import NIOCore
internal import RedisKit

/// The release of members' seats when they leave rooms that several servers share.
///
/// Confined to the server's event loop.
final class SeatReleases {
    private let link: ClusterLink
    private unowned let rooms: Rooms
    private let questions: RoomQuestions
    private let remote: RemoteMembers
    private let events: EventRelay
    private let backlog: OutageBacklog
    /// The ids of the sockets whose seats are being released.
    private var departing: Set<String> = []

    init(
        _ link: ClusterLink,
        rooms: Rooms,
        questions: RoomQuestions,
        remote: RemoteMembers,
        events: EventRelay,
        backlog: OutageBacklog
    ) {
        self.link = link
        self.rooms = rooms
        self.questions = questions
        self.remote = remote
        self.events = events
        self.backlog = backlog
    }

    /// Determines whether a socket's seat is being released.
    func isDeparting(_ sid: String) -> Bool { departing.contains(sid) }

    /// Removes a member that has left or whose grace period is over; does nothing if it returns before the
    /// removal.
    func remove(_ member: Member) {
        let (room, losses) = (member.identity.room, member.losses)
        questions.gates.enter(room) { [weak self] leave in
            guard let self, !link.isClosed, member.socket == nil, member.losses == losses,
                rooms.removeFromRoom(member)
            else {
                return leave()
            }
            release(RemoteMember(member, node: link.node), leave)
        }
    }

    /// Releases a member's seat, then announces its departure unless the client has only moved to another
    /// server.
    private func release(_ place: RemoteMember, _ leave: @escaping () -> Void) {
        backlog.remove(joined: place.sid)
        guard link.isUp else {
            leaveAlone(place)
            return leave()
        }
        departing.insert(place.sid)
        questions.ask(place.identity.room, link.seats.release(place)) { [weak self] answer, updates in
            guard let self else { return }
            departing.remove(place.sid)
            released(place, answer, updates)
            leave()
        }
    }

    private func released(_ place: RemoteMember, _ answer: RESPValue?, _ updates: RoomQuestions.Updates) {
        let room = place.identity.room
        guard let release = answer.flatMap({ SeatRelease($0, room: room) }) else { return leaveAlone(place) }
        if let time = updates[place.sid], time > place.since { return }
        if release.isReturn(of: place), let holder = release.holder {
            if updates[holder.sid] == nil { remote.addReturned(holder) }
            return
        }
        guard link.isUp else { return leaveAlone(place) }
        rooms.reportDeparture(place)
        events.publishLeft(place, isHeard: release.other.map { $0.node != link.node } ?? false)
    }

    /// Announces a departure to this server's members; the other servers are notified when Redis is reachable
    /// again.
    private func leaveAlone(_ place: RemoteMember) {
        backlog.add(left: place)
        rooms.reportDeparture(place)
    }

    /// Announces to the other servers that a member has lost its seat to another client.
    func replaced(_ member: Member) {
        backlog.remove(joined: member.sid)
        events.announceLeft(RemoteMember(member, node: link.node))
    }

    /// Releases a member's seat if its socket still holds it, without announcing its departure.
    func release(silently place: RemoteMember) {
        guard link.isUp else { return backlog.add(left: place) }
        link.seats.release(place).assumeIsolated().whenFailure { [weak backlog] _ in
            backlog?.add(left: place)
        }
    }

    /// Removes the records of a member that has lost its seat.
    func end(_ member: Member) {
        // This has no effect in Redis, unless the member still holds the seat because a report of its loss
        // was outdated.
        if link.isUp { link.seats.release(RemoteMember(member, node: link.node)) }
        backlog.remove(joined: member.sid)
        remote.forgetIfEmpty(member.identity.room)
    }

    /// Releases the seats of members that left during an outage, and announces their departures.
    func releaseBacklog() {
        Sweep.run(over: backlog.takeLeft(), on: link.eventLoop) { [weak self] in
            self?.releaseSeatOfLeft($0, $1)
        }
    }

    private func releaseSeatOfLeft(_ place: RemoteMember, _ next: @escaping () -> Void) {
        let room = place.identity.room
        questions.ask(inTurn: room, next) { [weak self] in
            guard let self else { return nil }
            guard link.isUp else {
                backlog.add(left: place)
                return nil
            }
            return link.seats.release(place)
        } _: { [weak self] answer, _ in
            guard let self else { return }
            guard let release = answer.flatMap({ SeatRelease($0, room: room) }) else {
                return backlog.add(left: place)
            }
            if !release.isReturn(of: place) { events.announceLeft(place, isHeard: true) }
        }
    }

    /// Marks a member's connection as lost in Redis, so that the next client on any server may claim its
    /// seat.
    func lose(_ member: Member) {
        let room = member.identity.room
        questions.gates.enter(room) { [weak self] leave in
            defer { leave() }
            guard let self, link.isUp, member.socket == nil, rooms.membersByID[member.sid] === member else {
                return
            }
            link.seats.lose(sid: member.sid, room: room, role: member.role)
        }
    }
}
