internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket

/// The connections and sessions of a server, and the rooms they are in.
///
/// Confined to one event loop, like all that it owns.
final class EngineServer {
    let configuration: ServerConfiguration
    let eventLoop: any EventLoop
    let logger: Logger
    let router: RequestRouter
    let webRequests: WebRequestQueue
    let rooms: Rooms
    let metrics = ServerMetrics()
    private let maximumConnections: Int
    private var connections: [ObjectIdentifier: any Channel] = [:]
    private var drained: EventLoopPromise<Void>?

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
        router = RequestRouter(origins: OriginPolicy(configuration.origin))
        rooms = Rooms(configuration, eventLoop: eventLoop, logger: logger)
        maximumConnections = configuration.maximumConnections ?? DescriptorLimit.current - 64
    }

    /// Sets up an accepted connection.
    ///
    /// - Throws: `ChannelError` where there are too many, and the channel is then closed.
    func accept(_ channel: any Channel, engine: NIOLoopBound<EngineServer>) throws {
        guard connections.count < maximumConnections, drained == nil else {
            logger.warning("connection refused", metadata: ["connections": "\(connections.count)"])
            metrics.connectionRefused(drained == nil ? .tooMany : .draining)
            throw ChannelError.operationUnsupported
        }
        let id = ObjectIdentifier(channel)
        connections[id] = channel
        metrics.connectionOpened()
        channel.closeFuture.assumeIsolated().whenComplete { _ in
            self.connections[id] = nil
            self.metrics.connectionClosed()
            if self.connections.isEmpty { self.drained?.succeed() }
        }
        try configurePipeline(of: channel, engine: engine)
    }

    private func configurePipeline(of channel: any Channel, engine: NIOLoopBound<EngineServer>) throws {
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: configuration.maximumPayload,
            automaticErrorHandling: false,
            shouldUpgrade: { channel, head in
                let headers = engine.value.upgradeHeaders(for: head)
                return channel.eventLoop.makeSucceededFuture(headers)
            },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture { try engine.value.openSession(on: channel, for: head) }
            }
        )
        try configuration.tls?.secure(channel)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(
            withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in })
        )
        try pipeline.addHandler(HTTPRequestHandler(self))
    }

    /// The headers to accept a WebSocket with; nil where it is refused.
    private func upgradeHeaders(for head: HTTPRequestHead) -> HTTPHeaders? {
        guard case .engine = router.route(head) else { return nil }
        return router.origins.headers(for: head)
    }

    private func openSession(on channel: any Channel, for head: HTTPRequestHead) throws {
        guard case .engine(let request) = router.route(head) else { throw ChannelError.operationUnsupported }
        let session = EngineSession(configuration, eventLoop: eventLoop)
        let socket = SocketConnection(
            query: request.query,
            session: session,
            rooms: rooms,
            configuration: configuration,
            logger: logger
        )
        let transport = WebSocketTransport(
            session: session,
            configuration: configuration,
            usesBase64: request.usesBase64
        )
        let pipeline = channel.pipeline.syncOperations
        pipeline.removeHandler(try pipeline.handler(type: HTTPRequestHandler.self), promise: nil)
        try pipeline.addHandler(transport)
        session.open(on: transport, for: socket)
        socket.startTimer(on: eventLoop)
    }

    /// The counts as they are.
    var counts: ServerCounts {
        var counts = metrics.counts
        counts.rooms = rooms.count
        return counts
    }

    /// Tells everybody that the server goes, and closes all connections; done within a second.
    func shutDown() -> EventLoopFuture<Void> {
        rooms.close()
        guard !connections.isEmpty else { return eventLoop.makeSucceededVoidFuture() }
        let promise = eventLoop.makePromise(of: Void.self)
        drained = promise
        for channel in Array(connections.values) {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
        let limit = eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(900)) {
            for channel in Array(self.connections.values) { channel.close(promise: nil) }
        }
        promise.futureResult.whenComplete { _ in limit.cancel() }
        return promise.futureResult
    }
}
