internal import CallCore
internal import NIOCore
internal import RedisKit

/// Coming into a room that several servers share.
extension Cluster {
    /// Lets a client into a room if no server has its place taken; `done` is called once, unless it is gone by then.
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
            [weak self] answer, news in
            guard let self else { return }
            done(claimed(place, answer, news, for: request, on: socket))
            // By now it may have gone on to another server.
            if let member = rooms.membersByID[place.sid], let time = news[place.sid], time > member.since {
                rooms.supplant(sid: place.sid)
            }
        }
    }

    /// Whether somebody has the seat who after Redis was away may only not have claimed it again yet.
    private func isKept(from place: RemoteMember) -> Bool {
        guard !seats.isOpen, !seats.isTrusting, rooms.membersByID[place.sid] == nil else { return false }
        return presence.rivals(of: place).contains { isOurs($0.node) && !$0.mayBeSameClient(as: place) }
    }

    /// What the claim means for the client; nil where it has gone meanwhile.
    private func claimed(
        _ place: RemoteMember,
        _ answer: RESPValue?,
        _ news: [String: Int],
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
                learn(others, in: room, isSettled: false, except: news)
                return try join(request, on: socket, place, replacing: replaced).map { .success($0) }
            case nil:
                guard !socket.isOver else {
                    // It may have been obeyed all the same.
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

    /// Without knowing of others; they hear of it when they can be reached again.
    private func joinAlone(
        _ request: JoinRequest,
        on socket: SocketConnection,
        _ place: RemoteMember
    ) throws(JoinRefusal) -> Member {
        // Who was known elsewhere, and has a key, may have come from there, and is nobody new then.
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
        // Of one that has only changed servers nobody need know, even if its connection is lost again already.
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

    /// Nothing comes of a claim that was granted.
    private func giveUp(_ place: RemoteMember) {
        guard let member = rooms.membersByID[place.sid] else { return release(silently: place) }
        // It was here before and is so still, perhaps only to come back.
        member.since = place.since
        if member.socket == nil { seats.lose(sid: place.sid, room: place.identity.room, role: place.role) }
    }

    /// Tells the server that had somebody in the place; whether nobody here need hear of the newcomer.
    func takeOver(_ replaced: RemoteMember, for place: RemoteMember) -> Bool {
        let room = place.identity.room
        let known = presence.remove(sid: replaced.sid, from: room)
        departures.add(replaced.sid, at: place.since)
        guard replaced.isSameClient(as: place) else {
            post(.ousted(sid: replaced.sid, room: room))
            if let known { rooms.tellLeft(known) }
            // Ours have heard that.
            if counts.foreignNodes > 0 { announceLeft(replaced) }
            return false
        }
        // Without a key it is only taken to be the same by its name, and its peer has to know.
        let isSure = place.keyHash != nil
        post(.moved(sid: replaced.sid, to: place, again: !isSure))
        return isSure && (known != nil || rooms.members(of: room).isEmpty)
    }

    /// A seat has one at a time: who else of our servers is known in it has gone, which has only not been heard yet.
    func vacate(for place: RemoteMember) {
        guard !seats.isOpen else { return }
        for rival in presence.rivals(of: place) where isOurs(rival.node) {
            _ = presence.remove(sid: rival.sid, from: place.identity.room)
            rooms.tellLeft(rival)
        }
    }

    /// Whether by its key the client is here by now, and its earlier place has only not been taken over yet.
    private func isHere(_ place: RemoteMember) -> Bool {
        place.keyHash != nil
            && rooms.members(of: place.identity.room).contains {
                RemoteMember($0, node: node).isSameClient(as: place)
            }
    }

    /// Takes note of whom our own servers have in a room, and tells those here what is new in that.
    func learn(_ present: [RemoteMember], in room: RoomID, isSettled: Bool, except news: [String: Int]) {
        let changes = presence.reconcile(
            room,
            with: present.filter { $0.node != node && !departures.contains($0) },
            isSettled: isSettled,
            hasSeats: !seats.isOpen,
            except: news,
            isOurs: isOurs
        )
        for member in changes.left { tellLeftUnlessHere(member) }
        for member in changes.joined where !isHere(member) { welcome(member) }
    }
}

extension RemoteMember {
    /// A member of this server, as the others know it.
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
