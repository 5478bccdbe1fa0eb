internal import CallCore
internal import NIOCore
internal import RedisKit

/// Joining a room that several servers share.
extension Cluster {
    /// Admits a client to a room unless its seat is held on another server.
    ///
    /// `done` is called once, except if the client disconnects before that.
    func admit(
        _ request: JoinRequest,
        on socket: SocketConnection,
        _ done: @escaping (Result<Member, JoinRefusal>) -> Void
    ) {
        gates.enter(request.identity.room) { [weak self] leave in
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
        guard !socket.isOver, !isClosed else { return done(nil) }
        let place: RemoteMember
        do throws(JoinRefusal) {
            let member = try rooms.check(request)
            place = RemoteMember(request, node: node, sid: member?.sid ?? SessionID.random().text)
            guard isUp else { return done(.success(try joinAlone(request, on: socket, place))) }
        } catch {
            return done(.failure(error))
        }
        ask(place.identity.room, seats.claim(place, isKept: isKept(from: place))) {
            [weak self] answer, updates in
            guard let self else { return }
            done(claimed(place, answer, updates, for: request, on: socket))
            // The client may have moved to another server by now.
            if let member = rooms.membersByID[place.sid], let time = updates[place.sid], time > member.since {
                rooms.supplant(sid: place.sid)
            }
        }
    }

    /// Determines whether the seat's holder may still reclaim it after an outage of Redis.
    private func isKept(from place: RemoteMember) -> Bool {
        guard !seats.isOpen, !seats.isTrusting, rooms.membersByID[place.sid] == nil else { return false }
        return presence.rivals(of: place).contains { isOurs($0.node) && !$0.mayBeSameClient(as: place) }
    }

    /// Carries out the answer to a claim; the result is nil if the client has disconnected meanwhile.
    private func claimed(
        _ place: RemoteMember,
        _ answer: RESPValue?,
        _ updates: [String: Int],
        for request: JoinRequest,
        on socket: SocketConnection
    ) -> Result<Member, JoinRefusal>? {
        let room = place.identity.room
        do throws(JoinRefusal) {
            switch answer.flatMap({ SeatClaim($0, room: room, isOpen: seats.isOpen) }) {
            case .refused(_, let isFull): throw isFull || hasOther(than: place) ? .roomFull : .roleTaken
            case .granted(let since, let replaced, let others):
                var place = place
                place.since = since
                learn(others, in: room, isSettled: false, except: updates)
                return try join(request, on: socket, place, replacing: replaced).map { .success($0) }
            case nil:
                guard !socket.isOver else {
                    // Redis may have granted the claim although no answer arrived.
                    if rooms.membersByID[place.sid] == nil { keepForLater(place) }
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
        let occupants: [any Occupant] = presence.members(of: room) + rooms.members(of: room)
        return occupants.contains { $0.role != place.role }
    }

    /// Joins the client without knowing of other servers, which are told once Redis is back.
    private func joinAlone(
        _ request: JoinRequest,
        on socket: SocketConnection,
        _ place: RemoteMember
    ) throws(JoinRefusal) -> Member {
        // A client with a key that was known on another server may have moved here, and is then not announced
        // as new.
        let earlier = presence.rivals(of: place).filter {
            isOurs($0.node) && place.keyHash != nil && $0.mayBeSameClient(as: place)
        }
        for member in earlier { _ = presence.remove(sid: member.sid, from: place.identity.room) }
        let member = try rooms.join(request, on: socket, sid: place.sid, isKnown: !earlier.isEmpty)
        unannounced.insert(place.sid)
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
        vacate(for: place)
        // A client that has only changed servers joins even if its connection is lost again: its grace period
        // starts.
        guard !socket.isOver || isKnown && !wasHere else {
            giveUp(place)
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
            giveUp(place)
            throw error
        }
    }

    /// Undoes a granted claim that is not used.
    private func giveUp(_ place: RemoteMember) {
        guard let member = rooms.membersByID[place.sid] else { return release(silently: place) }
        // The client was a member here before and still is, perhaps within its grace period.
        member.since = place.since
        if member.socket == nil { seats.lose(sid: place.sid, room: place.identity.room, role: place.role) }
    }

    /// Notifies the server that held the seat, and decides whether the join needs no announcement here.
    func takeOver(_ replaced: RemoteMember, for place: RemoteMember) -> Bool {
        let room = place.identity.room
        let known = presence.remove(sid: replaced.sid, from: room)
        departures.add(replaced.sid, at: place.since)
        guard replaced.isSameClient(as: place) else {
            post(.ousted(sid: replaced.sid, room: room))
            if let known { rooms.tellLeft(known) }
            // Our own servers have learned it from `ousted`.
            if counts.foreignNodes > 0 { announceLeft(replaced) }
            return false
        }
        // Without a key, the client is only assumed to be the same by its name, so its peer is told.
        let isSure = place.keyHash != nil
        post(.moved(sid: replaced.sid, to: place, again: !isSure))
        return isSure && (known != nil || rooms.members(of: room).isEmpty)
    }

    /// Removes the previous holders of the seat on our servers.
    ///
    /// A seat has one holder at a time, so they have left, even if that has not been reported yet.
    func vacate(for place: RemoteMember) {
        guard !seats.isOpen else { return }
        for rival in presence.rivals(of: place) where isOurs(rival.node) {
            _ = presence.remove(sid: rival.sid, from: place.identity.room)
            rooms.tellLeft(rival)
        }
    }

    /// Determines whether the client, identified by its key, is already a member here.
    ///
    /// Its earlier seat on another server then still has to be taken over.
    private func isHere(_ place: RemoteMember) -> Bool {
        place.keyHash != nil
            && rooms.members(of: place.identity.room).contains {
                RemoteMember($0, node: node).isSameClient(as: place)
            }
    }

    /// Updates the room's members on our own servers, and tells the members here about the changes.
    func learn(_ present: [RemoteMember], in room: RoomID, isSettled: Bool, except updates: [String: Int]) {
        let changes = presence.reconcile(
            room,
            with: present.filter { $0.node != node && !departures.contains($0) },
            isSettled: isSettled,
            hasSeats: !seats.isOpen,
            except: updates,
            isOurs: isOurs
        )
        for member in changes.left { tellLeftUnlessHere(member) }
        for member in changes.joined where !isHere(member) { welcome(member) }
    }
}

extension RemoteMember {
    /// Creates the entry by which other servers know a member of this server.
    init(_ member: Member, node: String) {
        self.init(member.request, node: node, sid: member.sid)
        since = member.since
    }

    init(_ request: JoinRequest, node: String, sid: String) {
        let (room, role) = (request.identity.room, request.role)
        self.init(
            node: node,
            sid: sid,
            identity: request.identity,
            role: role,
            keyHash: request.key.map { ClusterKeys.hash($0, room: room, role: role) }
        )
    }
}
