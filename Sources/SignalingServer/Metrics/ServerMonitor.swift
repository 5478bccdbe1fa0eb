internal import NIOCore
internal import Synchronization

/// Access to the state of a running server from outside its event loop.
package final class ServerMonitor: Sendable {
    private let server = Mutex<NIOLoopBound<SignalingHost>?>(nil)

    package init() {}

    /// Reads the current counts; nil while the server does not run.
    func counts() async -> ServerCounts? {
        guard let server = server.withLock({ $0 }) else { return nil }
        return try? await server.eventLoop.submit { server.value.counts }.get()
    }

    /// Sets the server to monitor; nil for none.
    func attach(_ server: NIOLoopBound<SignalingHost>?) { self.server.withLock { $0 = server } }
}
