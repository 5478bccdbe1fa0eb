internal import CallCore
internal import NIOCore
internal import RedisKit

/// The release of the seats of members that leave a room which several servers share.
///
/// Confined to the server's event loop.
final class SeatReleases {
    private let link: ClusterLink
    private unowned let rooms: Rooms
    private let questions: RoomQuestions
    private let remote: RemoteMembers
    private let events: EventRelay
    private let backlog: OutageBacklog
    /// The sockets whose seats are being released.
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

    /// Determines whether the seat of that socket is being released.
    func isDeparting(_ sid: String) -> Bool { departing.contains(sid) }

    /// Removes a member that has left or whose grace period is over, unless it returns before its turn.
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

    /// Releases the seat, then tells the others unless the client has only moved to another server.
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

    /// Tells this server's members of a departure; the other servers are told once Redis is back.
    private func leaveAlone(_ place: RemoteMember) {
        backlog.add(left: place)
        rooms.reportDeparture(place)
    }

    /// Announces that a member has lost its seat to another client, on this or another server.
    func replaced(_ member: Member) {
        backlog.remove(joined: member.sid)
        events.announceLeft(RemoteMember(member, node: link.node))
    }

    /// Releases a seat if that socket still holds it, without announcing it.
    func release(silently place: RemoteMember) {
        guard link.isUp else { return backlog.add(left: place) }
        link.seats.release(place).assumeIsolated().whenFailure { [weak backlog] _ in
            backlog?.add(left: place)
        }
    }

    /// Removes the records of a member whose seat another client has now.
    func end(_ member: Member) {
        // Redis ignores this, unless the report of the new holder was outdated.
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

    /// Marks a member's seat as lost, so that the next client on any server may take it.
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
