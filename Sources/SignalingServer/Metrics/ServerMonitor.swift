internal import NIOCore
internal import Synchronization

/// Sees into a running server from outside of its event loop.
package final class ServerMonitor: Sendable {
    private let server = Mutex<NIOLoopBound<EngineServer>?>(nil)

    package init() {}

    /// The counts as they are; nil while the server does not run.
    func counts() async -> ServerCounts? {
        guard let server = server.withLock({ $0 }) else { return nil }
        return try? await server.eventLoop.submit { server.value.counts }.get()
    }

    /// From now on it is this server that is seen into; nil for none.
    func attach(_ server: NIOLoopBound<EngineServer>?) { self.server.withLock { $0 = server } }
}
