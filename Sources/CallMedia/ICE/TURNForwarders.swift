internal import CallCore
internal import GLibKit

/// Carries TURN over TLS: libnice would send it in clear, so it sends it to a port on loopback of ours.
///
/// Each server has one port, which takes connections of this process alone; each connection becomes one over
/// TLS to the server, whose certificate must be valid. What fails is found out by `ICEServerProbe`.
actor TURNForwarders {
    private struct Forwarder {
        let port: Int
        let work: Task<Void, Never>
    }

    private let authorities: TLSAuthorities
    private var forwarders: [ICEServerURL: Forwarder] = [:]
    private var isClosed = false

    init(authorities: TLSAuthorities) { self.authorities = authorities }

    /// The port on loopback that leads to `server`.
    ///
    /// - Throws: `GLibError` where no port is free, or `CancellationError` once closed.
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

    /// Ends every connection; none is made afterwards.
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
            // Whoever asks next gets a port that works.
            forwarders[server] = nil
        }
    }
}
