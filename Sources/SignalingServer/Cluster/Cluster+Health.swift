internal import CallCore
internal import Logging
internal import NIOCore
internal import RedisKit

/// That this server lives, that others do, and what is to be done after they could not be seen.
extension Cluster {
    /// How many places are asked for at a time.
    private static let chunk = 256

    /// Longer than the longest pause of a link, and its connecting.
    private static let leastTrust = TimeAmount.seconds(4)

    private var lifetime: TimeAmount { TimeAmount(configuration.lifetime) }
    private var interval: TimeAmount { TimeAmount(configuration.interval) }

    func scheduleBeat() {
        eventLoop.assumeIsolated().scheduleTask(in: interval) { [weak self] in
            guard let self, !isClosed else { return }
            if isUp { beat() }
            scheduleBeat()
        }
    }

    /// Says that we live, and looks who else does.
    private func beat() {
        sayAlive { [weak self] wasAlive in
            // Others have taken us for dead: they have to hear of all who are here.
            if !wasAlive { self?.reclaimAll(announcing: true) }
        }
        let nodes = presence.nodes.filter(isOurs)
        if !nodes.isEmpty { look(at: Array(nodes)) }
        countNodes()
        subscription.checkSubscription()
        refreshPlaces()
    }

    private func sayAlive(_ done: @escaping (_ wasAlive: Bool) -> Void) {
        let milliseconds = Int(lifetime.nanoseconds / 1_000_000)
        let answer = commands.send(
            RedisCommand(
                "SET",
                ClusterKeys.heartbeat(of: node),
                Int.random(in: 1 ... .max),
                "PX",
                milliseconds,
                "GET"
            )
        )
        answer.assumeIsolated().whenComplete { result in
            switch result {
            case .success(let old): done(!old.isNull)
            case .failure(let error):
                guard case .refused = error as? RedisError else { return }
                self.logger.error("Redis refuses a sign of life", metadata: ["reason": "\(error)"])
            }
        }
    }

    private func look(at nodes: [String]) {
        guard NIODeadline.now() >= trustsUntil else { return }
        let answer = commands.send(RedisCommand(["MGET"] + nodes.map(ClusterKeys.heartbeat)))
        answer.assumeIsolated().whenSuccess { [weak self] answer in
            guard let self, isUp, NIODeadline.now() >= trustsUntil, let items = answer.items,
                items.count == nodes.count
            else { return }
            for (node, sign) in zip(nodes, items) where sign.isNull { bury(node) }
        }
    }

    private func bury(_ node: String) {
        let gone = presence.remove(node: node)
        logger.notice("a server is gone", metadata: ["node": "\(node)", "members": "\(gone.count)"])
        for member in gone { rooms.tellLeft(member) }
    }

    /// Who listens to requests and not to us is a server of another maker.
    private func countNodes() {
        let channels = [AdapterChannels.requests, AdapterChannels.nodes]
        let answer = commands.send(RedisCommand(["PUBSUB", "NUMSUB"] + channels))
        answer.assumeIsolated().whenSuccess { [weak self] answer in
            guard let self, let items = answer.items, items.count == 4, let all = items[1].integer,
                let ours = items[3].integer
            else { return }
            counts.nodes = ours
            let had = counts.foreignNodes
            counts.foreignNodes = max(0, all - ours)
            if had > 0, counts.foreignNodes == 0 { buryForeigners() }
        }
    }

    private func buryForeigners() {
        for node in presence.nodes where !isOurs(node) { bury(node) }
    }

    // MARK: - Healing

    /// Redis is there, for the first time or again: what happened meanwhile is made up for.
    func heal() {
        // Others may find back later than we do.
        trustsUntil = .now() + max(lifetime + interval, Self.leastTrust)
        refreshTime = .now() + Self.refreshInterval
        countNodes()
        let places = unreleased
        unreleased = []
        for place in places { giveBack(place) }
        sayAlive { [weak self] wasAlive in self?.reclaimAll(announcing: !wasAlive) }
        eventLoop.assumeIsolated().scheduleTask(deadline: trustsUntil) { [weak self] in
            guard let self, isUp, trustsUntil <= .now() else { return }
            settle(presence.knownRooms[...])
        }
    }

    /// Who left while nobody elsewhere could hear it.
    private func giveBack(_ place: RemoteMember) {
        let released = seats.release(sid: place.sid, room: place.identity.room, role: place.role)
        released.assumeIsolated().whenComplete { [weak self] result in
            guard let self else { return }
            if case .failure = result { return unreleased.append(place) }
            publish(AdapterBroadcast(leaving: place, rooms.payloads))
        }
    }

    private func publish(_ broadcast: AdapterBroadcast) { publish(broadcast.channel, broadcast.encoded) }

    /// Claims again what is held here, a part at a time.
    func reclaimAll(announcing: Bool) { reclaim(rooms.allMembers[...], announcing: announcing) }

    private func reclaim(_ members: ArraySlice<Member>, announcing: Bool) {
        guard isUp, !members.isEmpty else { return }
        let claims = members.prefix(Self.chunk).map { member in
            let room = member.identity.room
            let place = RemoteMember(member.request, node: node, sid: member.sid)
            let claim = seats.claim(place, again: true).assumeIsolated()
            claim.whenSuccess { [weak self] answer in
                guard let claim = SeatClaim(answer, room: room, isOpen: self?.seats.isOpen ?? false) else {
                    return
                }
                self?.reclaimed(member, claim, announcing: announcing)
            }
            return claim.nonisolated()
        }
        let rest = members.dropFirst(Self.chunk)
        EventLoopFuture.whenAllComplete(claims, on: eventLoop).assumeIsolated().whenComplete {
            [weak self] _ in
            self?.reclaim(rest, announcing: announcing)
        }
    }

    private func reclaimed(_ member: Member, _ claim: SeatClaim, announcing: Bool) {
        let room = member.identity.room
        guard rooms.membersByID[member.sid] === member else { return release(member) }
        switch claim {
        case .granted(_, let others):
            learn(others, in: room, isSettled: false)
            let isNews = unannounced.remove(member.sid) != nil
            if announcing || isNews { publishJoined(member, sid: member.sid) }
            if member.socket == nil { lose(member) }
        case .refused(let holder?, _) where holder.keyHash != nil && holder.keyHash == member.keyHash:
            // The client is on another server by now, and this connection only has not ended yet.
            rooms.supplant(sid: member.sid)
            if concerns(room) { _ = presence.add(holder) }
        case .refused(let holder, _):
            logger.notice(
                "a seat was given away meanwhile",
                metadata: ["room": "\(room)", "role": "\(member.role)"]
            )
            rooms.evict(member)
            if let holder, concerns(room), presence.add(holder) { rooms.tellJoined(holder) }
        }
    }

    /// By now whoever lives has come back: who has no place is gone.
    private func settle(_ knownRooms: ArraySlice<RoomID>) {
        guard isUp, !knownRooms.isEmpty else { return }
        let looks = knownRooms.prefix(Self.chunk).map { room in
            let look = seats.look(room).assumeIsolated()
            look.whenSuccess { [weak self] answer in
                guard let self, concerns(room), let items = answer.items else { return }
                learn(items.compactMap { RemoteMember(in: $0, room: room) }, in: room, isSettled: true)
            }
            return look.nonisolated()
        }
        let rest = knownRooms.dropFirst(Self.chunk)
        EventLoopFuture.whenAllComplete(looks, on: eventLoop).assumeIsolated().whenComplete { [weak self] _ in
            self?.settle(rest)
        }
    }

    /// Long before the places would be forgotten.
    private func refreshPlaces() {
        guard NIODeadline.now() >= refreshTime else { return }
        refreshTime = .now() + Self.refreshInterval
        reclaimAll(announcing: false)
    }

    private static let refreshInterval = TimeAmount.nanoseconds(SeatRegistry.timeToLive.nanoseconds / 3)
}

extension AdapterBroadcast {
    init(leaving place: RemoteMember, _ payloads: RoomPayloads) {
        self.init(
            node: place.node,
            payloads.left(place),
            rooms: ["\(place.identity.room)"],
            except: [place.sid]
        )
    }
}
