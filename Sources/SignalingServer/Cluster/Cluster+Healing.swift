internal import CallCore
internal import Logging
internal import NIOCore
internal import RedisKit

/// Making up for what happened while Redis was away.
extension Cluster {
    /// Longer than the longest pause of a link, and its connecting.
    private static let leastTrust = TimeAmount.seconds(4)

    /// Redis is there, for the first time or again; `wasKnown` says whether the others have never missed this server.
    func heal(wasKnown: Bool) {
        // Others may find back later than we do.
        let trustsUntil = NIODeadline.now() + max(lifetime + interval, Self.leastTrust)
        seats.trustsUntil = trustsUntil
        refreshTime = .now() + Self.refreshInterval
        countNodes()
        let places = unreleased
        unreleased = []
        Sweep.run(over: places, on: eventLoop) { [weak self] in self?.giveBack($0, $1) }
        // Those who have come meanwhile are told in any case.
        reclaimAll(announcing: !wasKnown || mayHaveMissed)
        mayHaveMissed = false
        eventLoop.assumeIsolated().scheduleTask(deadline: trustsUntil) { [weak self] in
            guard let self, isUp, seats.trustsUntil == trustsUntil else { return }
            settleAll()
        }
    }

    /// Claims again what is held here.
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
        } _: { [weak self] answer, news in
            guard let self, let answer,
                let claim = SeatClaim(answer, room: room, isOpen: seats.isOpen)
            else { return }
            reclaimed(member, claim, news, announcing: announcing)
        }
    }

    private func isHere(_ member: Member) -> Bool { rooms.membersByID[member.sid] === member }

    private func reclaimed(_ member: Member, _ claim: SeatClaim, _ news: [String: Int], announcing: Bool) {
        let room = member.identity.room
        var place = RemoteMember(member, node: node)
        guard isHere(member) else { return release(silently: place) }
        switch claim {
        case .granted(let since, let replaced, let others):
            (member.since, place.since) = (since, since)
            learn(others, in: room, isSettled: false, except: news)
            // The same client, whose earlier connection has not ended yet.
            if let replaced { _ = takeOver(replaced, for: place) }
            vacate(for: place)
            let isNews = unannounced.remove(member.sid) != nil
            if announcing || isNews { publishJoined(member, sid: member.sid) }
            // The claim has made the place that of somebody who is there.
            if member.socket == nil { seats.lose(sid: member.sid, room: room, role: member.role) }
        case .refused(let holder?, _) where holder.keyHash != nil && holder.keyHash == member.keyHash:
            // The client is on another server by now, and this connection only has not ended yet.
            post(.moved(sid: member.sid, to: holder, again: false))
            departures.add(member.sid, at: holder.since)
            rooms.supplant(sid: member.sid)
            if concerns(room), news[holder.sid] == nil { _ = presence.add(holder) }
        case .refused(let holder, _):
            logger.notice(
                "a seat was given away meanwhile",
                metadata: ["room": "\(room)", "role": "\(member.role)"]
            )
            rooms.evict(member)
            guard let holder, news[holder.sid] == nil, presence.add(holder) else { return }
            welcome(holder)
        }
    }

    /// By now whoever lives has come back: who has no place is gone.
    private func settleAll() {
        Sweep.run(over: presence.knownRooms, on: eventLoop) { [weak self] room, next in
            self?.settle(room, next)
        }
    }

    private func settle(_ room: RoomID, _ next: @escaping () -> Void) {
        look(into: room, next) { [weak self] present, news in
            self?.learn(present, in: room, isSettled: true, except: news)
        }
    }

    /// Asks in a room's turn who has a place there, and what was heard meanwhile; `next` is called once, answered or not.
    func look(
        into room: RoomID,
        _ next: @escaping () -> Void,
        _ body: @escaping (_ places: [RemoteMember], _ news: [String: Int]) -> Void
    ) {
        ask(inTurn: room, next) { [weak self] in
            guard let self, isUp else { return nil }
            return seats.look(room)
        } _: { answer, news in
            guard let items = answer?.items else { return }
            body(items.compactMap { RemoteMember(in: $0, room: room) }, news)
        }
    }

    /// Long before the places would be forgotten.
    func refreshPlaces() {
        guard NIODeadline.now() >= refreshTime else { return }
        refreshTime = .now() + Self.refreshInterval
        reclaimAll(announcing: false)
    }

    private static let refreshInterval = TimeAmount.nanoseconds(SeatRegistry.timeToLive.nanoseconds / 3)
}
