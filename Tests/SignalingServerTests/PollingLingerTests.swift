import HTTPFront
import Testing

@testable import SignalingServer

@Suite("Polling sessions that the server closes")
struct PollingLingerTests {
    /// Runs `body` with a client that joins no namespace, so that its session is closed after five seconds.
    private func withIdler(_ body: (EngineBench, BenchPolling) throws -> Void) throws {
        try EngineBench.with({ $0.connectTimeout = .seconds(5) }) { bench in
            try body(bench, try BenchPolling(bench, path: "/socket.io/"))
        }
    }

    @Test("A pending GET is answered with the close packet when the session closes")
    func held() throws {
        try withIdler { bench, polling in
            let get = try polling.get()
            bench.advance(by: .seconds(4.9))
            #expect(try get.reply() == nil)
            bench.advance(by: .seconds(0.2))
            #expect(try get.reply()?.body == "1")
            try polling.expectGone()
        }
    }

    @Test("Without a pending GET, only the next GET within 30 seconds receives the close packet")
    func kept() throws {
        try withIdler { bench, polling in
            bench.advance(by: .seconds(34.9))
            #expect(try polling.poll() == ["1"])
            try polling.expectGone()
        }
    }

    @Test("A closed session is removed after 30 seconds")
    func forgotten() throws {
        try withIdler { bench, polling in
            bench.advance(by: .seconds(35.2))
            #expect(bench.engine.sessions.isEmpty)
            try polling.expectGone()
        }
    }

    @Test("A POST to a closed session is refused")
    func post() throws {
        try withIdler { bench, polling in
            bench.advance(by: .seconds(6))
            let status = try polling.post("40").status
            #expect(status == 400)
            #expect(try polling.poll() == ["1"])
        }
    }

    @Test("A server that shuts down sends polling clients the close packet")
    func shutdown() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let get = try polling.get()
            _ = bench.engine.front.shutDown()
            let reply = try #require(try get.reply())
            #expect(reply.body == "1")
            #expect(reply.headers["connection"] == "close")
            #expect(get.isClosed)
        }
    }
}
