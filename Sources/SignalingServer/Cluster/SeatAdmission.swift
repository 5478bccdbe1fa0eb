internal import CallCore
internal import NIOCore
internal import RedisKit

/// The admission of clients to rooms that several servers share.
///
/// Confined to the server's event loop.
final class SeatAdmission {
    private let link: ClusterLink
    private unowned let rooms: Rooms
    private let questions: RoomQuestions
    private let remote: RemoteMembers
    private let nodes: ClusterNodes
    private let events: EventRelay
    private let releases: SeatReleases
    private let backlog: OutageBacklog

    init(
        _ link: ClusterLink,
        rooms: Rooms,
        questions: RoomQuestions,
        remote: RemoteMembers,
        nodes: ClusterNodes,
        events: EventRelay,
        releases: SeatReleases,
        backlog: OutageBacklog
    ) {
        self.link = link
        self.rooms = rooms
        self.questions = questions
        self.remote = remote
        self.nodes = nodes
        self.events = events
        self.releases = releases
        self.backlog = backlog
    }

    /// Admits a client to a room, unless another client has the requested role, the room is full, or the
    /// server is draining.
    ///
    /// `done` is called once, or not at all if the client disconnects or the server stops first.
    func admit(
        _ request: JoinRequest,
        on socket: SocketConnection,
        _ done: @escaping (Result<Member, JoinRefusal>) -> Void
    ) {
        questions.gates.enter(request.identity.room) { [weak self] leave in
            guard let self else { return leave() }
            decide(request, on: socket) { result in
                if let result { done(result) }
                leave()
            }
        }
    }

    private func decide(
        _ request: JoinRequest,
        on socket: SocketConnection,
        _ done: @escaping (Result<Member, JoinRefusal>?) -> Void
    ) {
        guard !socket.isOver, !link.isClosed else { return done(nil) }
        let place: RemoteMember
        do throws(JoinRefusal) {
            let member = try rooms.check(request)
            place = RemoteMember(request, node: link.node, sid: member?.sid ?? SessionID.random().text)
            guard link.isUp else { return done(.success(try joinAlone(request, on: socket, place))) }
        } catch {
            return done(.failure(error))
        }
        questions.ask(place.identity.room, link.seats.claim(place, isKept: isKept(from: place))) {
            [weak self] answer, updates in
            guard let self else { return }
            done(claimed(place, answer, updates, for: request, on: socket))
            // The client may have moved to another server while the claim was pending.
            if let member = rooms.membersByID[place.sid], let time = updates[place.sid], time > member.since {
                rooms.supplant(sid: place.sid)
            }
        }
    }

    /// Determines whether a seat's holder on another server may claim the seat again after an outage of
    /// Redis.
    private func isKept(from place: RemoteMember) -> Bool {
        guard !link.seats.isOpen, !link.seats.isTrusting, rooms.membersByID[place.sid] == nil else {
            return false
        }
        return remote.rivals(of: place).contains { !$0.mayBeSameClient(as: place) }
    }

    /// Applies the reply to a claim; the result is nil if the client disconnected before the reply arrived.
    private func claimed(
        _ place: RemoteMember,
        _ answer: RESPValue?,
        _ updates: RoomQuestions.Updates,
        for request: JoinRequest,
        on socket: SocketConnection
    ) -> Result<Member, JoinRefusal>? {
        let room = place.identity.room
        do throws(JoinRefusal) {
            switch answer.flatMap({ SeatClaim($0, room: room, isOpen: link.seats.isOpen) }) {
            case .refused(_, let isFull): throw isFull || hasOther(than: place) ? .roomFull : .roleTaken
            case .granted(let since, let replaced, let others):
                var place = place
                place.since = since
                remote.learn(others, in: room, isSettled: false, except: updates)
                return try join(request, on: socket, place, replacing: replaced).map { .success($0) }
            case nil:
                guard !socket.isOver else {
                    // Redis may have granted the claim although no reply arrived.
                    if rooms.membersByID[place.sid] == nil { backlog.add(left: place) }
                    return nil
                }
                return .success(try joinAlone(request, on: socket, place))
            }
        } catch {
            return .failure(error)
        }
    }

    private func hasOther(than place: RemoteMember) -> Bool {
        let room = place.identity.room
        let occupants: [any Occupant] = remote.members(of: room) + rooms.members(of: room)
        return occupants.contains { $0.role != place.role }
    }

    /// Admits a client without querying Redis; the other servers are notified when Redis is reachable again.
    private func joinAlone(
        _ request: JoinRequest,
        on socket: SocketConnection,
        _ place: RemoteMember
    ) throws(JoinRefusal) -> Member {
        // A client with a key that was known on another server may have moved to this one. In this case, it
        // is not announced as new.
        let earlier = remote.rivals(of: place).filter {
            place.keyHash != nil && $0.mayBeSameClient(as: place)
        }
        for member in earlier { remote.remove(sid: member.sid, from: place.identity.room) }
        let member = try rooms.join(request, on: socket, sid: place.sid, isKnown: !earlier.isEmpty)
        backlog.add(joined: place.sid)
        return member
    }

    private func join(
        _ request: JoinRequest,
        on socket: SocketConnection,
        _ place: RemoteMember,
        replacing replaced: RemoteMember?
    ) throws(JoinRefusal) -> Member? {
        let wasHere = rooms.membersByID[place.sid] != nil
        let isKnown = replaced.map { takeOver($0, for: place) } ?? false
        remote.vacate(for: place)
        // A client that has moved here from another server joins even if its new connection is lost already:
        // its grace period starts.
        guard !socket.isOver || isKnown && !wasHere else {
            releaseClaim(place)
            return nil
        }
        do throws(JoinRefusal) {
            let member = try rooms.join(
                request,
                on: socket,
                sid: place.sid,
                since: place.since,
                isKnown: isKnown
            )
            guard !socket.isOver else {
                rooms.leave(member, .transportClose)
                return nil
            }
            return member
        } catch {
            releaseClaim(place)
            throw error
        }
    }

    /// Releases a granted seat if the client does not join, unless the client was a member before.
    private func releaseClaim(_ place: RemoteMember) {
        guard let member = rooms.membersByID[place.sid] else { return releases.release(silently: place) }
        // The client was a member on this server before and still is, perhaps within its grace period.
        member.since = place.since
        if member.socket == nil {
            link.seats.lose(sid: place.sid, room: place.identity.room, role: place.role)
        }
    }

    /// Notifies the other servers that the seat's previous holder has lost the seat or has moved here; true
    /// if the join need not be announced on this server.
    func takeOver(_ replaced: RemoteMember, for place: RemoteMember) -> Bool {
        let room = place.identity.room
        let known = remote.remove(sid: replaced.sid, from: room)
        remote.supersede(replaced.sid, at: place.since)
        guard replaced.isSameClient(as: place) else {
            link.post(.ousted(sid: replaced.sid, room: room))
            if let known { rooms.reportLeave(known) }
            // callrunner servers are notified by `ousted`.
            if nodes.foreignCount > 0 { events.announceLeft(replaced) }
            return false
        }
        // Without a key, the client is only assumed to be the same because of its name, so its peer is
        // notified.
        let isSure = place.keyHash != nil
        link.post(.moved(sid: replaced.sid, to: place, again: !isSure))
        return isSure && (known != nil || rooms.members(of: room).isEmpty)
    }
}
