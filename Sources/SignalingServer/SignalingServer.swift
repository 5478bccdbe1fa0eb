package import HTTPFront
internal import NIOCore
internal import NIOPosix
package import Logging

/// A Socket.IO server with rooms in which two peers find each other and exchange session descriptions.
package enum SignalingServer {
    /// Runs a signaling server while `body` runs.
    ///
    /// When `body` returns, throws or is cancelled, the last messages are still relayed, all clients are
    /// notified that the server stops, and the connections are closed within a second. `routes` answers the
    /// requests that are not for Engine.IO; `monitor` gives access to the running server's state.
    /// - Throws: `ServerError` if the server cannot listen, `ClusterError` if the configuration for Redis is
    ///   invalid; any error of `body`.
    package static func run<R>(
        _ configuration: ServerConfiguration,
        routes: any WebRoutes = DefaultRoutes(),
        monitor: ServerMonitor = ServerMonitor(),
        logger: Logger,
        _ body: (ListeningServer) async throws -> R
    ) async throws -> R {
        let webRequests = WebRequestQueue()
        return try await withThrowingDiscardingTaskGroup { group in
            group.addTask { await webRequests.run(routes) }
            defer { group.cancelAll() }
            defer { monitor.attach(nil) }
            return try await listen(
                configuration,
                webRequests: webRequests,
                monitor: monitor,
                logger: logger,
                body
            )
        }
    }

    private static func listen<R>(
        _ configuration: ServerConfiguration,
        webRequests: WebRequestQueue,
        monitor: ServerMonitor,
        logger: Logger,
        _ body: (ListeningServer) async throws -> R
    ) async throws -> R {
        // A single event loop owns all sessions and rooms, so no locks are needed and all events have one
        // order.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let result: Result<R, any Error>
        do {
            let (listener, server) = try await open(
                configuration,
                on: group.next(),
                webRequests: webRequests,
                monitor: monitor,
                logger: logger
            )
            do {
                result = .success(try await body(server))
            } catch {
                result = .failure(error)
            }
            await listener.close()
            // The front does not retain the engine.
            withExtendedLifetime(server) {}
        } catch {
            result = .failure(error)
        }
        try? await group.shutdownGracefully()
        return try result.get()
    }

    /// Starts the engine, which shares its rooms with other servers if configured, and listens.
    ///
    /// - Throws: `ServerError`, or `ClusterError`.
    static func open(
        _ configuration: ServerConfiguration,
        on loop: any EventLoop,
        webRequests: WebRequestQueue,
        monitor: ServerMonitor,
        logger: Logger
    ) async throws -> (Listener, ListeningServer) {
        let (engine, front) = try await loop.submit {
            let engine = EngineServer(
                configuration,
                eventLoop: loop,
                webRequests: webRequests,
                logger: logger
            )
            return (
                NIOLoopBound(engine, eventLoop: loop), NIOLoopBound(engine.front, eventLoop: loop)
            )
        }.get()
        do {
            try await loop.submit { try engine.value.joinCluster() }.get()
        } catch {
            throw ClusterError("\(error)")
        }
        monitor.attach(engine)
        let listener = try await Listener.bind(front, host: configuration.host, port: configuration.port)
        let server = ListeningServer(
            host: configuration.host,
            port: listener.port,
            isSecure: configuration.tls != nil,
            engine: engine
        )
        logger.info("listening", metadata: ["url": "\(server.url)"])
        return (listener, server)
    }
}
