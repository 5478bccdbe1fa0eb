import CallCore
import GLibKit
import Testing

@testable import CallMedia

@Suite("Forwarders of TURN over TLS", .timeLimit(.minutes(4)))
@LoopActor struct TURNForwardersTests {
    /// Connects through `forwarders` to a server that never answers.
    private static func connection(
        to server: LoopbackListener,
        through forwarders: TURNForwarders
    ) async throws -> NetworkStream {
        let url = try #require(ICEServerURL("turns:127.0.0.1:\(server.port)"))
        let port = try await forwarders.port(for: url, .ipv4)
        return try await NetworkStream.connect(to: "127.0.0.1", port: port, over: .tcp)
    }

    /// Reads until the end of the stream, or until it breaks off.
    private static func drain(_ stream: NetworkStream) async {
        while let bytes = try? await stream.read(), !bytes.isEmpty {}
    }

    @Test("A connection to a server that never answers is closed after the timeout")
    func limit() async throws {
        guard TLSAuthorities.areAvailable else { return }
        let forwarders = TURNForwarders(authorities: .anybody, connectTimeout: .milliseconds(100))
        let server = try LoopbackListener(.ipv4)
        await Self.drain(try await Self.connection(to: server, through: forwarders))
        await forwarders.close()
    }

    @Test("The end of the last session closes its connections, and a later session can connect again")
    func leave() async throws {
        guard TLSAuthorities.areAvailable else { return }
        let forwarders = TURNForwarders(authorities: .anybody, connectTimeout: .seconds(3600))
        let server = try LoopbackListener(.ipv4)
        await forwarders.enter()
        let near = try await Self.connection(to: server, through: forwarders)
        let far = try await server.accept()
        await forwarders.leave()
        await Self.drain(near)
        await Self.drain(far)
        let next = try await Self.connection(to: server, through: forwarders)
        _ = try await server.accept()
        next.close()
        await forwarders.close()
    }

    @Test("A session that begins before the last one ends uses the same port")
    func overlap() async throws {
        guard TLSAuthorities.areAvailable else { return }
        let forwarders = TURNForwarders(authorities: .anybody, connectTimeout: .seconds(3600))
        let server = try LoopbackListener(.ipv4)
        let url = try #require(ICEServerURL("turns:127.0.0.1:\(server.port)"))
        await forwarders.enter()
        let port = try await forwarders.port(for: url, .ipv4)
        await forwarders.enter()
        await forwarders.leave()
        #expect(try await forwarders.port(for: url, .ipv4) == port)
        await forwarders.leave()
        await forwarders.close()
    }
}
