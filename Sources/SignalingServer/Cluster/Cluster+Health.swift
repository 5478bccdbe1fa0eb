internal import CallCore
internal import Logging
internal import NIOCore
internal import RedisKit

/// The heartbeat of this server, and those of the others.
extension Cluster {
    var lifetime: TimeAmount { TimeAmount(configuration.lifetime) }
    var interval: TimeAmount { TimeAmount(configuration.interval) }

    func scheduleBeat() {
        eventLoop.assumeIsolated().scheduleTask(in: interval) { [weak self] in
            guard let self, !isClosed else { return }
            if isUp { beat() } else { comeUp() }
            scheduleBeat()
        }
    }

    /// Sends this server's heartbeat and checks those of the others.
    private func beat() {
        sayAlive { [weak self] result in
            // The other servers considered this one dead: they need to learn of all its members.
            if case .success(false) = result { self?.reclaimAll(announcing: true) }
        }
        let nodes = presence.nodes.filter(isOurs)
        if !nodes.isEmpty { look(at: Array(nodes)) }
        countNodes()
        subscription.checkSubscription()
        refreshPlaces()
    }

    /// Sends this server's heartbeat; `done` gets whether the last one had not expired, or the error.
    func sayAlive(_ done: @escaping (_ wasKnown: Result<Bool, any Error>) -> Void) {
        seats.live(for: lifetime).assumeIsolated().whenComplete { [weak self] result in
            guard let self, !isClosed else { return }
            if case .failure(let error) = result { noteFailure(error) }
            done(result.map { $0.integer == 1 })
        }
    }

    private func look(at nodes: [String]) {
        guard seats.isTrusting else { return }
        let answer = commands.send(RedisCommand(["MGET"] + nodes.map(ClusterKeys.heartbeat)))
        answer.assumeIsolated().whenSuccess { [weak self] answer in
            guard let self, isUp, seats.isTrusting, let items = answer.items, items.count == nodes.count
            else {
                return
            }
            for (node, sign) in zip(nodes, items) where sign.isNull { bury(node) }
        }
    }

    private func bury(_ node: String) {
        let gone = presence.remove(node: node)
        logger.notice(
            "another server left the cluster",
            metadata: ["node": "\(node)", "members": "\(gone.count)"]
        )
        for member in gone { tellLeftUnlessHere(member) }
    }

    /// Counts the servers; one that subscribes to requests but not to our own channel is foreign.
    func countNodes() {
        let channels = [AdapterChannels.requests, AdapterChannels.nodes]
        let answer = commands.send(RedisCommand(["PUBSUB", "NUMSUB"] + channels))
        answer.assumeIsolated().whenSuccess { [weak self] answer in
            guard let self, let items = answer.items, items.count == 4, let all = items[1].integer,
                let ours = items[3].integer
            else { return }
            counts.nodes = ours
            if all > ours { sawForeigners(all - ours) } else { sawNoForeigners() }
        }
    }

    /// Records the number of foreign servers; if there seemed to be none before, asks them for their members.
    func sawForeigners(_ count: Int) {
        let areBack = counts.foreignNodes == 0 || foreignSilence > 0
        foreignSilence = 0
        counts.foreignNodes = count
        if areBack { askForeigners(rooms.roomIDs) }
    }

    /// Records a check that saw no foreign server.
    ///
    /// A single one does not count: they may just be reconnecting after an outage of Redis.
    private func sawNoForeigners() {
        foreignSilence += 1
        guard counts.foreignNodes > 0, foreignSilence > 1, seats.isTrusting else { return }
        counts.foreignNodes = 0
        for node in presence.nodes where !isOurs(node) { bury(node) }
    }
}
