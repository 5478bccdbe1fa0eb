internal import CallCore
internal import Logging
internal import NIOCore
internal import RedisKit

/// The detection of failed servers by their heartbeats, and the number of servers that share the rooms.
///
/// Confined to the server's event loop.
final class ClusterNodes {
    private let link: ClusterLink
    private let remote: RemoteMembers
    /// The number of callrunner servers, including this one.
    private(set) var count = 0
    /// The number of foreign servers, which are other Socket.IO implementations.
    private(set) var foreignCount = 0
    /// The number of consecutive checks that found no foreign server.
    private var foreignSilence = 0
    /// Called when foreign servers (other Socket.IO implementations) appear, for the first time or again.
    var onForeigners: () -> Void = {}

    init(_ link: ClusterLink, remote: RemoteMembers) {
        self.link = link
        self.remote = remote
    }

    /// Removes the members of callrunner servers whose heartbeats have expired.
    func checkHeartbeats() {
        let nodes = Array(remote.nodes.filter(link.isOurs))
        guard !nodes.isEmpty, link.seats.isTrusting else { return }
        let answer = link.commands.send(RedisCommand(["MGET"] + nodes.map(ClusterKeys.heartbeat)))
        answer.assumeIsolated().whenSuccess { [weak self] answer in
            guard let self, link.isUp, link.seats.isTrusting, let items = answer.items,
                items.count == nodes.count
            else {
                return
            }
            for (node, sign) in zip(nodes, items) where sign.isNull { remote.removeNode(node) }
        }
    }

    /// Counts the servers; one that subscribes to the adapter's requests but not to callrunner's own channel
    /// is foreign.
    func update() {
        let channels = [AdapterChannels.requests, AdapterChannels.nodes]
        let answer = link.commands.send(RedisCommand(["PUBSUB", "NUMSUB"] + channels))
        answer.assumeIsolated().whenSuccess { [weak self] answer in
            guard let self, let items = answer.items, items.count == 4, let all = items[1].integer,
                let ours = items[3].integer
            else { return }
            note(all: all, ours: ours)
        }
    }

    /// Records the number of all servers, and of callrunner servers among them.
    func note(all: Int, ours: Int) {
        count = ours
        if all > ours { updateForeignServers(all - ours) } else { countForeignAbsence() }
    }

    /// Handles the receipt of an event; an event from a foreign server reveals that there is such a server.
    func heard(from node: String) {
        if !link.isOurs(node), node != "emitter", foreignCount == 0 { updateForeignServers(1) }
    }

    /// Records the number of foreign servers; if the last check found no such servers, calls `onForeigners`.
    func updateForeignServers(_ count: Int) {
        let areBack = foreignCount == 0 || foreignSilence > 0
        foreignSilence = 0
        foreignCount = count
        if areBack { onForeigners() }
    }

    /// Records a check that found no foreign server.
    ///
    /// The members of foreign servers are removed after a second such check, because the servers may first
    /// have to reconnect after an outage of Redis.
    private func countForeignAbsence() {
        foreignSilence += 1
        guard foreignCount > 0, foreignSilence > 1, link.seats.isTrusting else { return }
        foreignCount = 0
        for node in remote.nodes where !link.isOurs(node) { remote.removeNode(node) }
    }
}
