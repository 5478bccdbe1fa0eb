internal import HTTPFront
internal import Logging
internal import NIOCore

/// The connections, sessions and rooms of a server.
///
/// Confined to one event loop, like everything that it owns.
final class EngineServer {
    let configuration: ServerConfiguration
    let eventLoop: any EventLoop
    let logger: Logger
    /// The connections of the server.
    let front: FrontServer
    let rooms: Rooms
    let wheel: TimerWheel
    let batch: WriteBatch
    let queues: OutgoingQueues
    private(set) var sessions: [SessionID: EngineSession] = [:]
    let metrics = ServerMetrics()
    private let hasPlainEngine: Bool

    init(
        _ configuration: ServerConfiguration,
        eventLoop: any EventLoop,
        webRequests: WebRequestQueue,
        logger: Logger
    ) {
        self.configuration = configuration
        self.eventLoop = eventLoop
        self.logger = logger
        hasPlainEngine = configuration.makeConnection != nil
        front = FrontServer(
            FrontConfiguration(configuration),
            eventLoop: eventLoop,
            webRequests: webRequests,
            logger: logger
        )
        rooms = Rooms(configuration, eventLoop: eventLoop, metrics: metrics, logger: logger)
        (wheel, batch, queues) = (front.wheel, front.batch, front.queues)
        front.add(self)
    }

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
    func accept(_ channel: any Channel) throws { try front.accept(channel) }

    var isShuttingDown: Bool { front.isShuttingDown }

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

    /// The current metrics, including the numbers of rooms and members.
    var counts: ServerCounts {
        var counts = metrics.counts
        counts.connections = front.counts.connections
        counts.connectionsAccepted = front.counts.connectionsAccepted
        counts.connectionsRefused = front.counts.connectionsRefused
        counts.slowConsumersClosed = front.counts.slowConsumersClosed
        counts.rateLimited = front.counts.rateLimited
        counts.rooms = rooms.count
        counts.members = rooms.memberCount
        counts.isDraining = rooms.isDraining || isShuttingDown
        counts.cluster = rooms.cluster?.currentCounts
        return counts
    }

    /// Notifies all clients that the server stops, and closes all connections within a second.
    func shutDown() -> EventLoopFuture<Void> { front.shutDown() }
}

extension EngineServer: FrontService {
    var sessionCount: Int { sessions.count }

    func owns(_ path: String) -> Bool { endpoint(at: path) != nil }

    func endpoint(at path: String) -> EngineEndpoint? {
        EngineEndpoint(at: path, hasPlainEngine: hasPlainEngine)
    }

    func prepareShutDown() -> EventLoopFuture<Void> {
        rooms.close()
        return rooms.cluster?.close() ?? eventLoop.makeSucceededVoidFuture()
    }

    func closeSessions() {
        for session in Array(sessions.values) { session.close(.serverShuttingDown) }
    }

    func removeSessions() {
        // No polling client can fetch its close packet any more.
        for session in Array(sessions.values) { session.remove() }
    }
}

extension FrontConfiguration {
    init(_ configuration: ServerConfiguration) {
        self.init(
            access: AccessPolicy(
                host: configuration.host,
                origins: configuration.origin,
                publicHosts: configuration.publicHosts
            )
        )
        tls = configuration.tls
        trustedProxies = configuration.trustedProxies
        rates = AddressRates(configuration)
        maximumConnections = configuration.maximumConnections
        connectionsPerAddress = configuration.connectionsPerAddress
        requestTimeout = TimeAmount(configuration.requestTimeout)
        // At least the time of a silent polling session.
        idleTimeout = max(requestTimeout, TimeAmount(configuration.pingInterval + configuration.pingTimeout))
        readTimeout = TimeAmount(configuration.readTimeout)
        let interval = min(configuration.pingInterval, configuration.pingTimeout)
        timerResolution = TimeAmount(min(interval / 200, .milliseconds(100)))
        maximumQueuedBytes = configuration.maximumQueuedBytes
        maximumQueuedBytesInAll = configuration.maximumQueuedBytesInAll
    }
}

extension AddressRates {
    init(_ configuration: ServerConfiguration) {
        self.init()
        connectionsPerMinute = configuration.connectionsPerMinute
        messagesPerSecond = configuration.messagesPerSecond
        bytesPerSecond = configuration.bytesPerSecond
        limitsLoopback = configuration.limitsLoopback
    }
}
