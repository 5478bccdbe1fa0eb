internal import CallCore
internal import GLibKit

/// Forwards TURN connections over TLS, because libnice would not encrypt them itself.
///
/// For each server, libnice connects to a loopback port, which accepts connections of this process only. Each
/// connection is forwarded over TLS to the server, whose certificate is verified unless any is to be accepted.
/// `ICEServerProbe` determines the reason for a failure.
actor TURNForwarders {
    private struct Forwarder {
        let port: Int
        let work: Task<Void, Never>
    }

    private let authorities: TLSAuthorities
    private var forwarders: [ICEServerURL: Forwarder] = [:]
    private var isClosed = false

    init(authorities: TLSAuthorities) { self.authorities = authorities }

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
        let work = Task { await serve(listener, server) }
        forwarders[server] = Forwarder(port: port, work: work)
        return port
    }

    /// Closes all connections and refuses new ones.
    func close() async {
        isClosed = true
        let all = forwarders.values.map(\.work)
        for work in all { work.cancel() }
        for work in all { await work.value }
    }

    private func serve(_ listener: LoopbackListener, _ server: ICEServerURL) async {
        await withDiscardingTaskGroup { group in
            let authorities = authorities
            while let near = try? await listener.accept() {
                group.addTask {
                    do {
                        let far = try await NetworkStream.connect(
                            to: server.host,
                            port: server.port,
                            over: .tls(authorities)
                        )
                        await near.join(far)
                    } catch {
                        await near.close()
                    }
                }
            }
            // The next call of `port(for:_:)` opens another port.
            forwarders[server] = nil
        }
    }
}
