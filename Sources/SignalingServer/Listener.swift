internal import Logging
internal import NIOCore
internal import NIOPosix

/// The listening socket and what was accepted from it.
struct Listener: Sendable {
    let server: ListeningServer
    private let channel: any Channel
    private let engine: NIOLoopBound<EngineServer>

    /// - Throws: `ServerError`.
    static func bind(
        _ configuration: ServerConfiguration,
        on loop: any EventLoop,
        logger: Logger
    ) async throws -> Listener {
        let engine = try await loop.submit {
            NIOLoopBound(EngineServer(configuration, eventLoop: loop, logger: logger), eventLoop: loop)
        }.get()
        // Two servers must never share the port: SO_REUSEADDR only skips the wait for old connections.
        let bootstrap = ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(
                .writeBufferWaterMark,
                value: .init(
                    low: configuration.maximumQueuedBytes / 2,
                    high: configuration.maximumQueuedBytes
                )
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try engine.value.accept(channel, engine: engine) }
            }
        do {
            let channel = try await bootstrap.bind(host: configuration.host, port: configuration.port).get()
            let port = channel.localAddress?.port ?? configuration.port
            let server = ListeningServer(host: configuration.host, port: port, engine: engine)
            logger.info("listening", metadata: ["url": "\(server.url)"])
            return Listener(server: server, channel: channel, engine: engine)
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw ServerError.addressInUse(host: configuration.host, port: configuration.port)
        } catch {
            throw ServerError.bind("\(configuration.host):\(configuration.port): \(error)")
        }
    }

    /// Accepts nobody any more, tells everybody connected and closes all connections.
    func close() async {
        try? await channel.close()
        let loop = channel.eventLoop
        // What a client in this very process said last may still lie in its socket: it is read first.
        try? await loop.scheduleTask(in: .milliseconds(20)) {}.futureResult.get()
        try? await loop.flatSubmit { engine.value.shutDown() }.get()
    }
}
