package import HTTPFront
internal import NIOCore
internal import NIOPosix
package import Logging

/// A Socket.IO server with rooms in which two peers find each other and exchange session descriptions.
package enum SignalingServer {
    /// Runs a signaling server while `body` runs.
    ///
    /// When `body` returns, throws or is cancelled, the last messages are still relayed, all clients are
    /// notified that the server stops, and the connections are closed within a second. `services` answer
    /// the requests that are not for Engine.IO; `monitor` gives access to the running server's state.
    /// - Throws: `ServerError` if the server cannot listen, `ClusterError` if the configuration for Redis is
    ///   invalid; any error of `body`.
    package static func run<R>(
        _ configuration: ServerConfiguration,
        services: [any WebService] = [DescriptionService()],
        monitor: ServerMonitor = ServerMonitor(),
        logger: Logger,
        _ body: (ListeningServer) async throws -> R
    ) async throws -> R {
        // A single event loop owns all sessions and rooms, so no locks are needed and all events have one
        // order.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let result: Result<R, any Error>
        do {
            let loop = group.next()
            result = .success(
                try await serve(configuration, services, on: loop, monitor: monitor, logger: logger, body)
            )
        } catch {
            result = .failure(error)
        }
        try? await group.shutdownGracefully()
        return try result.get()
    }

    /// Serves until `body` returns, and ends the tasks of the services before the event loop ends.
    private static func serve<R>(
        _ configuration: ServerConfiguration,
        _ services: [any WebService],
        on loop: any EventLoop,
        monitor: ServerMonitor,
        logger: Logger,
        _ body: (ListeningServer) async throws -> R
    ) async throws -> R {
        let tasks = RequestTasks()
        return try await withThrowingDiscardingTaskGroup { group in
            group.addTask { await tasks.run() }
            for service in services { group.addTask { await service.run() } }
            defer { group.cancelAll() }
            defer { monitor.attach(nil) }
            let (listener, server) = try await open(
                configuration,
                services: services,
                on: loop,
                tasks: tasks,
                monitor: monitor,
                logger: logger
            )
            let result: Result<R, any Error>
            do {
                result = .success(try await body(server))
            } catch {
                result = .failure(error)
            }
            await listener.close()
            return try result.get()
        }
    }

    /// Starts the engine, which shares its rooms with other servers if configured, and listens.
    ///
    /// - Throws: `ServerError`, or `ClusterError`.
    static func open(
        _ configuration: ServerConfiguration,
        services: [any WebService] = [],
        on loop: any EventLoop,
        tasks: RequestTasks,
        monitor: ServerMonitor,
        logger: Logger
    ) async throws -> (Listener, ListeningServer) {
        let host = try await loop.submit {
            let host = SignalingHost(
                configuration,
                services: services,
                eventLoop: loop,
                tasks: tasks,
                logger: logger
            )
            return NIOLoopBound(host, eventLoop: loop)
        }.get()
        do {
            try await loop.submit { try host.value.engine.joinCluster() }.get()
        } catch {
            throw ClusterError("\(error)")
        }
        monitor.attach(host)
        let front = try await loop.submit { NIOLoopBound(host.value.front, eventLoop: loop) }.get()
        let listener = try await Listener.bind(front, host: configuration.host, port: configuration.port)
        let server = ListeningServer(
            host: configuration.host,
            port: listener.port,
            isSecure: configuration.tls != nil,
            signaling: host
        )
        logger.info("listening", metadata: ["url": "\(server.url)"])
        return (listener, server)
    }
}
