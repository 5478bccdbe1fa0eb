internal import Basics
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// The connections, sessions and rooms of a server.
///
/// Confined to one event loop, like everything that it owns.
final class EngineServer {
    /// The high water mark of a channel's write buffer in bytes; further output waits in the transport.
    private static let socketBuffer = 131_072

    let configuration: ServerConfiguration
    let eventLoop: any EventLoop
    let logger: Logger
    private(set) var router: RequestRouter
    let webRequests: WebRequestQueue
    let rooms: Rooms
    let wheel: TimerWheel
    let batch: WriteBatch
    let queues: OutgoingQueues
    private(set) var sessions: [SessionID: EngineSession] = [:]
    private let limits: AddressLimits
    let metrics = ServerMetrics()
    /// The maximum number of connections, and separately of sessions.
    let maximumConnections: Int
    private var connections: [ObjectIdentifier: any Channel] = [:]
    private var drained: EventLoopPromise<Void>?
    private var refusalEntry = RepeatedEntry()
    private var floodEntry = RepeatedEntry()
    private var forbiddenEntry = RepeatedEntry()

    init(
        _ configuration: ServerConfiguration,
        eventLoop: any EventLoop,
        webRequests: WebRequestQueue,
        logger: Logger
    ) {
        self.configuration = configuration
        self.eventLoop = eventLoop
        self.webRequests = webRequests
        self.logger = logger
        router = RequestRouter(
            access: AccessPolicy(configuration),
            hasPlainEngine: configuration.makeConnection != nil
        )
        rooms = Rooms(configuration, eventLoop: eventLoop, metrics: metrics, logger: logger)
        let interval = min(configuration.pingInterval, configuration.pingTimeout)
        wheel = TimerWheel(
            resolution: TimeAmount(min(interval / 200, .milliseconds(100))),
            eventLoop: eventLoop
        )
        batch = WriteBatch(eventLoop: eventLoop)
        queues = OutgoingQueues(configuration, eventLoop: eventLoop)
        maximumConnections = configuration.maximumConnections ?? DescriptorLimit.current - 64
        limits = AddressLimits(
            configuration,
            openConnections: configuration.connectionsPerAddress ?? max(1, maximumConnections / 4)
        )
    }

    /// Records whether the listening socket is bound to a loopback address, which a host name does not
    /// reveal.
    func listens(onLoopback isOnLoopback: Bool) { router.access.isOnLoopback = isOnLoopback }

    /// Shares the rooms with other servers, if configured.
    ///
    /// - Throws: An error if the files for TLS cannot be read.
    func joinCluster() throws {
        guard let cluster = configuration.cluster else { return }
        rooms.cluster = try Cluster(
            cluster,
            configuration,
            rooms: rooms,
            eventLoop: eventLoop,
            logger: logger
        )
        rooms.cluster?.start()
    }

    /// Sets up an accepted connection.
    ///
    /// - Throws: `ChannelError` if there are too many connections or the server stops; the channel is then
    ///   closed.
    func accept(_ channel: any Channel) throws {
        guard connections.count < maximumConnections, !isShuttingDown else {
            countRefusal(isShuttingDown ? .draining : .tooMany)
            throw ChannelError.operationUnsupported
        }
        let isProxy = configuration.trustedProxies.contains(channel.remoteAddress)
        let allowance = isProxy ? nil : allowance(of: channel.remoteAddress)
        if let refusal = allowance?.open(at: eventLoop.now) {
            countRefusal(refusal)
            if refusal == .tooFastOfAddress { metrics.rateLimited(.connections) }
            throw ChannelError.operationUnsupported
        }
        let id = ObjectIdentifier(channel)
        connections[id] = channel
        metrics.connectionOpened()
        channel.closeFuture.assumeIsolated().whenComplete { _ in
            allowance?.close()
            self.connections[id] = nil
            self.metrics.connectionClosed()
            if self.connections.isEmpty { self.drained?.succeed() }
        }
        let high = min(Self.socketBuffer, configuration.maximumQueuedBytes)
        try channel.syncOptions?.setOption(.writeBufferWaterMark, value: .init(low: high / 2, high: high))
        try configurePipeline(of: channel, allowance)
    }

    private func allowance(of address: SocketAddress?) -> AddressAllowance? {
        limits.allowance(for: ClientAddress(address), at: eventLoop.now)
    }

    /// Finds the rate-limit allowance of the client that sent a request; nil if the client is not limited.
    func allowance(of exchange: HTTPExchange) -> AddressAllowance? {
        let proxies = configuration.trustedProxies
        guard let proxy = exchange.remoteAddress, proxies.contains(proxy) else { return exchange.allowance }
        return allowance(of: proxies.client(behind: proxy, exchange.head.headers))
    }

    private func configurePipeline(of channel: any Channel, _ allowance: AddressAllowance?) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 16_384
        limits.maxHeaderListSize = 32_768
        limits.maxHeaderFieldCount = 100
        let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits)
        try configuration.tls?.secure(channel)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(ByteToMessageHandler(decoder))
        try pipeline.addHandler(HTTPRequestHandler(self, allowance: allowance))
    }

    var isShuttingDown: Bool { drained != nil }

    /// The time within which a request must arrive, and a response must be read.
    var requestTimeout: TimeAmount { TimeAmount(configuration.requestTimeout) }

    /// The maximum idle time of a connection between requests, which is not less than a polling session's.
    var idleTimeout: TimeAmount {
        max(requestTimeout, TimeAmount(configuration.pingInterval + configuration.pingTimeout))
    }

    func add(_ session: EngineSession) {
        sessions[session.id] = session
        session.allowance?.address.sessionOpened()
        metrics.sessionOpened(session.countedTransport)
    }

    func remove(_ session: EngineSession) {
        guard sessions.removeValue(forKey: session.id) != nil else { return }
        session.allowance?.address.sessionClosed()
        metrics.sessionClosed(session.countedTransport)
    }

    /// Counts and logs a refused connection or session.
    func countRefusal(_ reason: ConnectionRefusal) {
        metrics.connectionRefused(reason)
        guard let count = refusalEntry.count(at: eventLoop.now) else { return }
        logger.warning(
            "connection refused",
            metadata: [
                "reason": "\(reason.label)", "times": "\(count)", "connections": "\(connections.count)",
                "sessions": "\(sessions.count)",
            ]
        )
    }

    /// Counts and logs a request that was refused because of its origin or host.
    func countForbidden(_ refusal: AccessRefusal, _ headers: HTTPHeaders) {
        metrics.connectionRefused(refusal.counted)
        guard let count = forbiddenEntry.count(at: eventLoop.now) else { return }
        let named = ["origin", "host"].map { (headers.first(name: $0) ?? "").printable(limit: 200) }
        logger.warning(
            "\(refusal.message)",
            metadata: ["origin": "\(named[0])", "host": "\(named[1])", "times": "\(count)"]
        )
    }

    /// Counts and logs a client that has sent more messages or bytes than allowed.
    func countFlood(_ what: RateLimited = .messages) {
        if let count = floodEntry.count(at: eventLoop.now) {
            logger.info("too many \(what.label)", metadata: ["times": "\(count)"])
        }
        metrics.rateLimited(what)
    }

    /// The current metrics, including the numbers of rooms and members.
    var counts: ServerCounts {
        var counts = metrics.counts
        counts.rooms = rooms.count
        counts.members = rooms.memberCount
        counts.isDraining = rooms.isDraining || isShuttingDown
        counts.cluster = rooms.cluster?.currentCounts
        return counts
    }

    /// Notifies all clients that the server stops, and closes all connections within a second.
    func shutDown() -> EventLoopFuture<Void> {
        rooms.close()
        let cluster = rooms.cluster?.close() ?? eventLoop.makeSucceededVoidFuture()
        let promise = eventLoop.makePromise(of: Void.self)
        drained = promise
        for session in Array(sessions.values) { session.close(.serverShuttingDown) }
        if connections.isEmpty { promise.succeed() }
        for channel in Array(connections.values) {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
        let limit = eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(900)) {
            for channel in Array(self.connections.values) { channel.close(promise: nil) }
        }
        promise.futureResult.assumeIsolated().whenComplete { _ in
            limit.cancel()
            // Polling clients can no longer fetch their close packets.
            for session in Array(self.sessions.values) { session.remove() }
        }
        return promise.futureResult.and(cluster).map { _ in }
    }
}
