internal import CallCore
internal import Logging
internal import NIOCore
internal import RedisKit

/// Recovery from an outage of Redis.
extension Cluster {
    /// The minimum time that other servers get to reconnect: longer than a link's longest pause plus the time
    /// to connect.
    private static let leastTrust = TimeAmount.seconds(4)

    /// Synchronizes with the other servers when Redis becomes reachable, for the first time or again.
    ///
    /// `wasKnown` is whether this server's heartbeat has not expired in the meantime.
    func heal(wasKnown: Bool) {
        // Other servers may reconnect later than this one.
        let trustsUntil = NIODeadline.now() + max(lifetime + interval, Self.leastTrust)
        seats.trustsUntil = trustsUntil
        refreshTime = .now() + Self.refreshInterval
        countNodes()
        let places = unreleased
        unreleased = []
        Sweep.run(over: places, on: eventLoop) { [weak self] in self?.giveBack($0, $1) }
        // Members who joined in the meantime are announced in any case.
        reclaimAll(announcing: !wasKnown || mayHaveMissed)
        mayHaveMissed = false
        eventLoop.assumeIsolated().scheduleTask(deadline: trustsUntil) { [weak self] in
            guard let self, isUp, seats.trustsUntil == trustsUntil else { return }
            settleAll()
        }
    }

    /// Claims the seats of all members here again.
    func reclaimAll(announcing: Bool) {
        Sweep.run(over: rooms.allMembers, on: eventLoop) { [weak self] member, next in
            self?.reclaim(member, announcing: announcing, next)
        }
    }

    private func reclaim(_ member: Member, announcing: Bool, _ next: @escaping () -> Void) {
        let room = member.identity.room
        ask(inTurn: room, next) { [weak self] in
            guard let self, isUp, isHere(member) else { return nil }
            return seats.claim(
                RemoteMember(member, node: node),
                again: true,
                age: .now() - member.arrival
            )
        } _: { [weak self] answer, updates in
            guard let self, let answer,
                let claim = SeatClaim(answer, room: room, isOpen: seats.isOpen)
            else { return }
            reclaimed(member, claim, updates, announcing: announcing)
        }
    }

    private func isHere(_ member: Member) -> Bool { rooms.membersByID[member.sid] === member }

    private func reclaimed(_ member: Member, _ claim: SeatClaim, _ updates: [String: Int], announcing: Bool) {
        let room = member.identity.room
        var place = RemoteMember(member, node: node)
        guard isHere(member) else { return release(silently: place) }
        switch claim {
        case .granted(let since, let replaced, let others):
            (member.since, place.since) = (since, since)
            learn(others, in: room, isSettled: false, except: updates)
            // The seat belonged to an earlier connection of the same client that has not ended yet.
            if let replaced { _ = takeOver(replaced, for: place) }
            vacate(for: place)
            let isUnannounced = unannounced.remove(member.sid) != nil
            if announcing || isUnannounced { publishJoined(member, sid: member.sid) }
            // The claim has cleared the seat's `lost` mark.
            if member.socket == nil { seats.lose(sid: member.sid, room: room, role: member.role) }
        case .refused(let holder?, _) where holder.keyHash != nil && holder.keyHash == member.keyHash:
            // The client has moved to another server; only its connection here has not ended yet.
            post(.moved(sid: member.sid, to: holder, again: false))
            departures.add(member.sid, at: holder.since)
            rooms.supplant(sid: member.sid)
            if concerns(room), updates[holder.sid] == nil { _ = presence.add(holder) }
        case .refused(let holder, _):
            logger.notice(
                "a seat was taken by another client in the meantime",
                metadata: ["room": "\(room)", "role": "\(member.role)"]
            )
            rooms.evict(member)
            guard let holder, updates[holder.sid] == nil, presence.add(holder) else { return }
            welcome(holder)
        }
    }

    /// Reconciles all rooms: every live server has reclaimed its seats by now, so a member without one is
    /// gone.
    private func settleAll() {
        Sweep.run(over: presence.knownRooms, on: eventLoop) { [weak self] room, next in
            self?.settle(room, next)
        }
    }

    private func settle(_ room: RoomID, _ next: @escaping () -> Void) {
        look(into: room, next) { [weak self] present, updates in
            self?.learn(present, in: room, isSettled: true, except: updates)
        }
    }

    /// Reads a room's seats within its gate, together with the updates received meanwhile.
    ///
    /// `body` is called if Redis answers; `next` is called exactly once in any case.
    func look(
        into room: RoomID,
        _ next: @escaping () -> Void,
        _ body: @escaping (_ places: [RemoteMember], _ updates: [String: Int]) -> Void
    ) {
        ask(inTurn: room, next) { [weak self] in
            guard let self, isUp else { return nil }
            return seats.look(room)
        } _: { answer, updates in
            guard let items = answer?.items else { return }
            body(items.compactMap { RemoteMember(in: $0, room: room) }, updates)
        }
    }

    /// Claims the seats here again, long before they expire.
    func refreshPlaces() {
        guard NIODeadline.now() >= refreshTime else { return }
        refreshTime = .now() + Self.refreshInterval
        reclaimAll(announcing: false)
    }

    private static let refreshInterval = TimeAmount.nanoseconds(SeatRegistry.timeToLive.nanoseconds / 3)
}
