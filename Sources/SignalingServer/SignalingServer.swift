internal import NIOCore
internal import NIOPosix
package import Logging

/// Rooms over Socket.IO in which two peers find each other and exchange their session descriptions.
package enum SignalingServer {
    /// Listens while `body` runs.
    ///
    /// When `body` returns, throws or is cancelled, what was said last is still passed on, everybody
    /// connected is told that the server goes, and the connections are closed within a second.
    /// `routes` answer the requests that are not for Engine.IO; `monitor` sees into the server while it runs.
    /// - Throws: `ServerError` where the address cannot be listened on; what `body` throws.
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
        // One loop owns all sessions and rooms, so that nothing needs a lock and all see one order.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let result: Result<R, any Error>
        do {
            let listener = try await Listener.bind(
                configuration,
                on: group.next(),
                webRequests: webRequests,
                monitor: monitor,
                logger: logger
            )
            do {
                result = .success(try await body(listener.server))
            } catch {
                result = .failure(error)
            }
            await listener.close()
        } catch {
            result = .failure(error)
        }
        try? await group.shutdownGracefully()
        return try result.get()
    }
}
