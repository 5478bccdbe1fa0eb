internal import Logging
internal import NIOCore
internal import NIOPosix

/// The listening socket and the engine that serves its connections.
struct Listener: Sendable {
    let server: ListeningServer
    private let channel: any Channel
    private let engine: NIOLoopBound<EngineServer>

    /// Binds the listening socket and starts the engine.
    ///
    /// - Throws: `ServerError`.
    static func bind(
        _ configuration: ServerConfiguration,
        on loop: any EventLoop,
        webRequests: WebRequestQueue,
        monitor: ServerMonitor,
        logger: Logger
    ) async throws -> Listener {
        let engine = try await loop.submit {
            let engine = EngineServer(
                configuration,
                eventLoop: loop,
                webRequests: webRequests,
                logger: logger
            )
            return NIOLoopBound(engine, eventLoop: loop)
        }.get()
        do {
            try await loop.submit { try engine.value.joinCluster() }.get()
        } catch {
            throw ServerError.redis("\(error)")
        }
        monitor.attach(engine)
        let bootstrap = ServerBootstrap(group: loop)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try engine.value.accept(channel) }
            }
        do {
            let socket = try ListeningSocket(host: configuration.host, port: configuration.port)
            let isOnLoopback = socket.isOnLoopback
            try await loop.submit { engine.value.listens(onLoopback: isOnLoopback) }.get()
            let channel = try await bootstrap.withBoundSocket(socket.descriptor).get()
            try socket.restoreBacklog()
            let port = channel.localAddress?.port ?? configuration.port
            let server = ListeningServer(
                host: configuration.host,
                port: port,
                isSecure: configuration.tls != nil,
                engine: engine
            )
            logger.info("listening", metadata: ["url": "\(server.url)"])
            return Listener(server: server, channel: channel, engine: engine)
        } catch {
            try? await loop.flatSubmit { engine.value.shutDown() }.get()
            throw ServerError(binding: error, host: configuration.host, port: configuration.port)
        }
    }

    /// Stops accepting connections, notifies all clients and closes their connections.
    func close() async {
        try? await channel.close()
        let loop = channel.eventLoop
        // A client in this process may just have sent its last message: give the event loop time to read it.
        try? await loop.scheduleTask(in: .milliseconds(20)) {}.futureResult.get()
        try? await loop.flatSubmit { engine.value.shutDown() }.get()
    }
}
