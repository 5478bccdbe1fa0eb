internal import HTTPFront
internal import Logging
internal import NIOCore

/// The service for Engine.IO requests, which owns the sessions and rooms of a server.
///
/// Confined to one event loop, like everything that it owns.
final class EngineServer {
    let configuration: ServerConfiguration
    let eventLoop: any EventLoop
    let logger: Logger
    /// The HTTP front, which owns the connections and retains this service.
    unowned let front: FrontServer
    let rooms: Rooms
    let wheel: TimerWheel
    let batch: WriteBatch
    let queues: ClientQueues
    private(set) var sessions: [SessionID: EngineSession] = [:]
    let metrics = ServerMetrics()
    private let hasPlainEngine: Bool

    /// Creates the service and adds it to `front`.
    init(_ configuration: ServerConfiguration, on front: FrontServer, logger: Logger) {
        self.configuration = configuration
        self.front = front
        self.logger = logger
        eventLoop = front.eventLoop
        hasPlainEngine = configuration.makeConnection != nil
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
        counts.front = front.counts
        counts.services = front.serviceCounts
        counts.rooms = rooms.count
        counts.members = rooms.memberCount
        counts.isDraining = rooms.isDraining || isShuttingDown
        counts.cluster = rooms.cluster?.currentCounts
        return counts
    }
}

extension EngineServer: FrontService {
    var sessionCount: Int { sessions.count }

    var hasDocuments: Bool { false }

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
        // A polling client that sends only pongs may leave a connection idle for this long.
        idleTimeout = max(requestTimeout, TimeAmount(configuration.pingInterval + configuration.pingTimeout))
        readTimeout = TimeAmount(configuration.readTimeout)
        let interval = min(configuration.pingInterval, configuration.pingTimeout)
        timerResolution = TimeAmount(min(interval / 200, .milliseconds(100)))
        maximumQueuedBytes = configuration.maximumQueuedBytes
        maximumQueuedBytesInAll = configuration.maximumQueuedBytesInAll
        maximumIncompleteBytesInAll = configuration.maximumIncompleteBytesInAll
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
