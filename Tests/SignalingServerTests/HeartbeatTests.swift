import SignalingServer
import SocketIO
import Testing

@Suite("Heartbeat", .timeLimit(.minutes(4)))
struct HeartbeatTests {
    private func withHeartbeat(
        every pingInterval: Duration,
        timeout pingTimeout: Duration,
        _ body: (ListeningServer) async throws -> Void
    ) async throws {
        try await withServer(
            {
                $0.pingInterval = pingInterval
                $0.pingTimeout = pingTimeout
            },
            body
        )
    }

    @Test("The server sends a ping one interval after the handshake and after each pong")
    func pings() async throws {
        try await withHeartbeat(every: .milliseconds(100), timeout: .seconds(60)) { server in
            let clock = ContinuousClock()
            try await TestPeer.with(server, as: "Ann", true) { peer in
                for _ in 0..<3 {
                    try await peer.socket.expect(.text("2"))
                    let pong = clock.now
                    try await peer.socket.send("3")
                    try await peer.socket.expect(.text("2"))
                    #expect(clock.now - pong >= .milliseconds(100))
                    try await peer.socket.send("3")
                }
            }
        }
    }

    @Test("A connection without a timely pong is closed")
    func missingPong() async throws {
        try await withHeartbeat(every: .milliseconds(100), timeout: .milliseconds(100)) { server in
            try await TestPeer.with(server) { peer in
                try await peer.socket.expect(.text("2"))
                try await peer.socket.expect(.text("1"))
                try await peer.socket.expect(.close(1000))
            }
        }
    }

    @Test("Messages other than a pong do not prevent the ping timeout")
    func otherTraffic() throws {
        try EngineBench.with { bench in
            let (socket, _) = try BenchSocket.open(bench)
            bench.advance(by: .seconds(25.2))
            try socket.expect(.text("2"))
            for _ in 0..<19 {
                bench.advance(by: .seconds(1))
                try socket.send("4alive")
                try socket.expect(.text("4alive"))
                try socket.expectAlive()
            }
            bench.advance(by: .seconds(1.2))
            try socket.expect(.text("1"))
            try socket.expect(.close(1000))
        }
    }

    @Test("A connection that joins no namespace is closed after the connect timeout")
    func connectTimeout() async throws {
        try await withServer({ $0.connectTimeout = .milliseconds(100) }) { server in
            try await TestPeer.with(server) { peer in
                try await peer.socket.expectClose(1000)
            }
        }
    }
}
