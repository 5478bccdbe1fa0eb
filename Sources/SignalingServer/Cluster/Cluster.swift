internal import CallCore
internal import Logging
internal import NIOCore
internal import RedisKit

/// The part of a server that shares the server's rooms with other servers through Redis.
///
/// Confined to the server's event loop. Events are relayed in the format of the classic Socket.IO adapter.
/// The seats in rooms, each of which reserves a role for a client, are stored under callrunner's own keys.
final class Cluster: ClusterLinkDelegate {
    let link: ClusterLink
    let backlog: OutageBacklog
    let remote: RemoteMembers
    let nodes: ClusterNodes
    let events: EventRelay
    let requests: AdapterRequests
    let releases: SeatReleases
    let admission: SeatAdmission
    private let recovery: OutageRecovery
    private unowned let rooms: Rooms

    /// Creates the cluster with its connections to Redis, which `start()` opens.
    ///
    /// - Throws: An error if the files for TLS cannot be read.
    init(
        _ configuration: ClusterConfiguration,
        _ server: ServerConfiguration,
        rooms: Rooms,
        eventLoop: any EventLoop,
        logger: Logger
    ) throws {
        self.rooms = rooms
        link = try ClusterLink(configuration, server, eventLoop: eventLoop, logger: logger)
        backlog = OutageBacklog(logger)
        let questions = RoomQuestions(link)
        remote = RemoteMembers(link, rooms: rooms, questions: questions, capacity: server.roomCapacity)
        nodes = ClusterNodes(link, remote: remote)
        events = EventRelay(link, rooms: rooms, remote: remote, nodes: nodes, backlog: backlog)
        requests = AdapterRequests(link, rooms: rooms, remote: remote, nodes: nodes, events: events)
        releases = SeatReleases(
            link,
            rooms: rooms,
            questions: questions,
            remote: remote,
            events: events,
            backlog: backlog
        )
        admission = SeatAdmission(
            link,
            rooms: rooms,
            questions: questions,
            remote: remote,
            nodes: nodes,
            events: events,
            releases: releases,
            backlog: backlog
        )
        recovery = OutageRecovery(
            link,
            rooms: rooms,
            questions: questions,
            remote: remote,
            events: events,
            admission: admission,
            releases: releases,
            backlog: backlog
        )
        link.delegate = self
    }

    var currentCounts: ClusterCounts {
        ClusterCounts(
            isUp: link.isUp,
            losses: link.losses,
            nodes: link.isUp ? nodes.count : 1,
            foreignNodes: link.isUp ? nodes.foreignCount : 0,
            remoteMembers: link.isUp ? remote.count : 0,
            published: link.published,
            delivered: events.delivered,
            refused: link.refused
        )
    }

    func start() {
        link.start()
        scheduleHeartbeat()
    }

    /// Notifies the other servers that this one stops, so that its clients can reconnect to them.
    ///
    /// - Returns: A future that completes when Redis has confirmed this, or after a timeout.
    @discardableResult
    func close() -> EventLoopFuture<Void> {
        link.close {
            // Foreign servers are notified that all members have left, so members that return must be
            // announced as new.
            let hasForeignServers = nodes.foreignCount > 0
            link.seats.stop(for: hasForeignServers ? .zero : link.lifetime)
            link.post(.gone)
            if hasForeignServers { for member in rooms.allMembers { events.publishLeft(member) } }
        }
    }

    // MARK: - Heartbeat

    private func scheduleHeartbeat() {
        link.eventLoop.assumeIsolated().scheduleTask(in: link.interval) { [weak self] in
            guard let self, !link.isClosed else { return }
            if link.isUp { exchangeHeartbeats() } else { link.startSharing() }
            scheduleHeartbeat()
        }
    }

    /// Sends this server's heartbeat, and checks the heartbeats of the other servers.
    private func exchangeHeartbeats() {
        link.sendHeartbeat { [weak self] result in
            // The heartbeat had expired, so other servers have removed this server's members: announce them
            // again.
            if case .success(false) = result { self?.recovery.reclaimAll(announcing: true) }
        }
        nodes.checkHeartbeats()
        nodes.update()
        link.subscription.checkSubscription()
        recovery.refresh()
    }

    // MARK: - The link

    func linkDidComeUp(mayHaveMissed: Bool) {
        nodes.update()
        recovery.begin(mayHaveMissed: mayHaveMissed)
    }

    func linkDidGoDown() { requests.forgetAll() }

    func receive(_ bytes: ByteBuffer, on channel: String, pattern: String?) throws(AdapterRefusal) {
        switch (pattern, channel) {
        case (.some, _): try events.receive(bytes, on: channel)
        case (nil, AdapterChannels.nodes): try receive(nodeMessage: Array(bytes.readableBytesView))
        case (nil, AdapterChannels.requests): try requests.receive(request: Array(bytes.readableBytesView))
        case (nil, AdapterChannels.responses), (nil, AdapterChannels.responses(to: link.node)):
            try requests.receive(response: Array(bytes.readableBytesView))
        default: break
        }
    }

    /// Handles a message from another callrunner server.
    private func receive(nodeMessage bytes: [UInt8]) throws(AdapterRefusal) {
        let (node, message) = try NodeMessage.read(bytes)
        guard node != link.node else { return }
        switch message {
        case .moved(let sid, let member, let again):
            remote.moved(sid, to: member, again: again, isDeparting: releases.isDeparting(sid))
        case .ousted(let sid, let room): remote.ousted(sid, from: room)
        case .gone: remote.stopped(node)
        }
    }
}
