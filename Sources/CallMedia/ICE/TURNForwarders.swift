internal import Basics
internal import CallCore
internal import GLibKit

/// Forwards TURN connections over TLS, because libnice does not encrypt them itself.
///
/// For each server, libnice connects to a loopback port, which accepts connections only from this process. Each
/// connection is forwarded over TLS to the server, whose certificate is verified, except with `TLSAuthorities.anybody`.
/// `ICEServerProbe` determines the reason for a failure.
actor TURNForwarders {
    private struct Forwarder {
        let port: Int
        let work: Task<Void, Never>
    }

    /// The maximum time until a server has accepted a connection and completed the TLS handshake.
    static let connectTimeout: Duration = .seconds(10)

    private let authorities: TLSAuthorities
    private let connectTimeout: Duration
    private var forwarders: [ICEServerURL: Forwarder] = [:]
    private var users = 0
    private var isClosed = false

    init(authorities: TLSAuthorities, connectTimeout: Duration = TURNForwarders.connectTimeout) {
        (self.authorities, self.connectTimeout) = (authorities, connectTimeout)
    }

    /// Keeps connections and ports open until `leave()` is called; each session calls this method before it requests a
    /// port, and `leave()` when it is closed.
    func enter() { users += 1 }

    /// Ends one use that began with `enter()`, and closes all connections and ports when no use remains.
    ///
    /// Without this, a connection to a server that has stopped reading would stay open after libnice has closed it.
    func leave() async {
        users -= 1
        if users == 0 { await closeAll() }
    }

    /// Opens the loopback port that forwards to `server`, if there is none yet.
    ///
    /// - Parameters:
    ///   - server: the TURN server.
    ///   - family: the address family of the port.
    /// - Returns: the port.
    /// - Throws: `GLibError` if no port is free, or `CancellationError` after `close()`.
    func port(for server: ICEServerURL, _ family: LoopbackListener.Family) async throws -> Int {
        if let known = forwarders[server] { return known.port }
        let listener = try await LoopbackListener(family)
        let port = await listener.port
        guard !isClosed else { throw CancellationError() }
        if let known = forwarders[server] { return known.port }
        let work = Task { await serve(listener, at: port, server) }
        forwarders[server] = Forwarder(port: port, work: work)
        return port
    }

    /// Closes all connections and refuses new ones.
    func close() async {
        isClosed = true
        await closeAll()
    }

    private func closeAll() async {
        let all = forwarders.values.map(\.work)
        forwarders = [:]
        for work in all { work.cancel() }
        for work in all { await work.value }
    }

    private func serve(_ listener: LoopbackListener, at port: Int, _ server: ICEServerURL) async {
        await withDiscardingTaskGroup { group in
            while let near = try? await listener.accept() {
                group.addTask { await self.forward(near, to: server) }
            }
            // The next call of `port(for:_:)` opens another port.
            if forwarders[server]?.port == port { forwarders[server] = nil }
        }
    }

    private nonisolated func forward(_ near: NetworkStream, to server: ICEServerURL) async {
        let authorities = authorities
        let far = try? await withDeadline(connectTimeout) {
            try await NetworkStream.connect(to: server.host, port: server.port, over: .tls(authorities))
        }
        guard let far else { return await near.close() }
        await near.join(far)
    }
}
