internal import CallCore
internal import Logging
internal import NIOCore
internal import RedisKit

/// Coming into a room that several servers share, and leaving it.
extension Cluster {
    /// Lets a client into a room if no server has its place taken; `done` is called once, unless it is gone by then.
    func admit(
        _ request: JoinRequest,
        on socket: SocketConnection,
        _ done: @escaping (Result<Member, JoinRefusal>) -> Void
    ) {
        enter(request.identity.room) { [weak self] leave in
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
        guard !socket.isOver else { return done(nil) }
        let sid: String
        do throws(JoinRefusal) {
            sid = try rooms.check(request)?.sid ?? SessionID.random().text
            guard isUp else { return done(.success(try joinAlone(request, on: socket, sid))) }
        } catch {
            return done(.failure(error))
        }
        let place = RemoteMember(request, node: node, sid: sid)
        seats.claim(place).assumeIsolated().whenComplete { [weak self] result in
            guard let self else { return done(nil) }
            done(claimed(place, result, for: request, on: socket))
        }
    }

    /// What the claim means for the client; nil where it has gone meanwhile.
    private func claimed(
        _ place: RemoteMember,
        _ result: Result<RESPValue, any Error>,
        for request: JoinRequest,
        on socket: SocketConnection
    ) -> Result<Member, JoinRefusal>? {
        let answer = try? result.get()
        let claim = answer.flatMap { SeatClaim($0, room: place.identity.room, isOpen: seats.isOpen) }
        do throws(JoinRefusal) {
            switch claim {
            case .refused(_, let isFull): throw isFull ? .roomFull : .roleTaken
            case .granted(let replaced, let others):
                guard !socket.isOver else {
                    release(place)
                    return nil
                }
                return .success(try join(request, on: socket, place, replacing: replaced, others))
            case nil:
                if case .failure(let error) = result { noteRefusal(error) }
                guard !socket.isOver else { return nil }
                return .success(try joinAlone(request, on: socket, place.sid))
            }
        } catch {
            return .failure(error)
        }
    }

    /// Without knowing of others; they hear of it when they can be reached again.
    private func joinAlone(
        _ request: JoinRequest,
        on socket: SocketConnection,
        _ sid: String
    ) throws(JoinRefusal) -> Member {
        let member = try rooms.join(request, on: socket, sid: sid)
        unannounced.insert(sid)
        return member
    }

    private func join(
        _ request: JoinRequest,
        on socket: SocketConnection,
        _ place: RemoteMember,
        replacing replaced: RemoteMember?,
        _ others: [RemoteMember]
    ) throws(JoinRefusal) -> Member {
        let room = place.identity.room
        learn(others, in: room, isSettled: false)
        guard let replaced, replaced.node != node else {
            return try rooms.join(request, on: socket, sid: place.sid)
        }
        // By its key it is known to be the same client. Without one, it is taken so by its name.
        let isSame = replaced.keyHash != nil && replaced.keyHash == place.keyHash
        let isLikely = replaced.keyHash == nil && place.keyHash == nil
        guard replaced.identity == place.identity, isSame || isLikely else {
            post(.ousted(sid: replaced.sid, room: room))
            if let member = presence.remove(sid: replaced.sid, from: room) { rooms.tellLeft(member) }
            return try rooms.join(request, on: socket, sid: place.sid)
        }
        post(.moved(sid: replaced.sid, to: place, again: !isSame))
        _ = presence.remove(sid: replaced.sid, from: room)
        return try rooms.join(request, on: socket, sid: place.sid, isKnown: isSame)
    }

    /// Takes note of whom our own servers have in a room, and tells those here what is new in that.
    func learn(_ present: [RemoteMember], in room: RoomID, isSettled: Bool) {
        let changes = presence.reconcile(
            room,
            with: present.filter { $0.node != node },
            isSettled: isSettled,
            hasSeats: !seats.isOpen,
            isOurs: isOurs
        )
        for member in changes.left { rooms.tellLeft(member) }
        for member in changes.joined { rooms.tellJoined(member) }
    }

    /// A member has left: its place is given back, and then the others are told, if it was still its own.
    func release(_ member: Member) {
        let place = RemoteMember(member.request, node: node, sid: member.sid)
        let isHeard = reaches(place.identity.room)
        unannounced.remove(place.sid)
        guard isUp else { return leaveAlone(place) }
        let released = seats.release(sid: place.sid, room: place.identity.room, role: place.role)
        released.assumeIsolated().whenComplete { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let answer) where answer.integer == 0:
                // It has come back on another server, or that one has given its place away.
                break
            case .success:
                rooms.tellLeft(place)
                publishLeft(place, isHeard: isHeard)
                forgetIfEmpty(place.identity.room)
            case .failure:
                leaveAlone(place)
            }
        }
    }

    /// The others are told when they can be reached again.
    private func leaveAlone(_ place: RemoteMember) {
        if unreleased.count < Self.maximumUnreleased { unreleased.append(place) }
        rooms.tellLeft(place)
        forgetIfEmpty(place.identity.room)
    }

    /// A room that nobody here is in, or wants to be in, is others' business.
    func forgetIfEmpty(_ room: RoomID) {
        if !concerns(room) { presence.forget(room) }
    }

    /// Places that are not given back are forgotten by Redis itself after a while.
    private static let maximumUnreleased = 1 << 16

    /// Gives a place back that nobody got to know of.
    private func release(_ place: RemoteMember) {
        seats.release(sid: place.sid, room: place.identity.room, role: place.role).assumeIsolated()
            .whenFailure { [weak self] _ in self?.unreleased.append(place) }
    }

    /// A member's connection is lost: whoever comes next on whatever server may have its place.
    func lose(_ member: Member) {
        if isUp { seats.lose(sid: member.sid, room: member.identity.room, role: member.role) }
    }

    /// What Redis refuses is a mistake of who set it up, and nobody sees it but in the log.
    private func noteRefusal(_ error: any Error) {
        guard case .refused = error as? RedisError else { return }
        logger.error(
            "Redis refuses a claim, the room is this server's alone",
            metadata: ["reason": "\(error)"]
        )
    }
}

extension RemoteMember {
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
