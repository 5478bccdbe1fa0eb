internal import CallCore
internal import Logging
internal import NIOCore
internal import RedisKit

/// That this server lives, and which others do.
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

    /// Says that we live, and looks who else does.
    private func beat() {
        sayAlive { [weak self] result in
            // Others have taken us for dead: they have to hear of all who are here.
            if case .success(false) = result { self?.reclaimAll(announcing: true) }
        }
        let nodes = presence.nodes.filter(isOurs)
        if !nodes.isEmpty { look(at: Array(nodes)) }
        countNodes()
        subscription.checkSubscription()
        refreshPlaces()
    }

    /// `done` gets whether the others knew it, or why it was not said.
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
        logger.notice("a server is gone", metadata: ["node": "\(node)", "members": "\(gone.count)"])
        for member in gone { tellLeftUnlessHere(member) }
    }

    /// Who listens to requests and not to us is a server of another maker.
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

    /// There are servers of another maker; if there seemed to be none before, they are asked whom they have.
    func sawForeigners(_ count: Int) {
        let areBack = counts.foreignNodes == 0 || foreignSilence > 0
        foreignSilence = 0
        counts.foreignNodes = count
        if areBack { askForeigners(rooms.roomIDs) }
    }

    /// One look may fall into the time in which they come back after Redis was away.
    private func sawNoForeigners() {
        foreignSilence += 1
        guard counts.foreignNodes > 0, foreignSilence > 1, seats.isTrusting else { return }
        counts.foreignNodes = 0
        for node in presence.nodes where !isOurs(node) { bury(node) }
    }
}
