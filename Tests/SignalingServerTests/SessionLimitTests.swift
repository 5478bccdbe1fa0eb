import Testing

@testable import SignalingServer

@Suite("Limits of sessions")
struct SessionLimitTests {
    private static let handshake = "/engine.io/?EIO=4&transport=polling"

    @Test("There are no more sessions than connections may be, polled ones without a connection included")
    func count() throws {
        try EngineBench.with({ $0.maximumConnections = 5 }) { bench in
            var sessions: [BenchPolling] = []
            for _ in 0..<5 {
                let line = try bench.request("GET", Self.handshake)
                #expect(try line.reply()?.status == 200)
                line.cut()
            }
            sessions = bench.engine.sessions.keys.map { BenchPolling(bench, sid: $0.text) }
            #expect(sessions.count == 5)
            let line = try bench.request("GET", Self.handshake)
            let reply = try #require(try line.reply())
            #expect(reply.status == 503)
            #expect(reply.headers["retry-after"] == "1")
            #expect(bench.engine.counts.connectionsRefused[.tooMany] == 1)
            line.cut()
            // Those that are there are served, and one that ends makes room.
            for session in sessions {
                let line = try bench.request("POST", session.target, body: "4a")
                #expect(try line.reply()?.body == "ok")
                line.cut()
            }
            let close = try bench.request("POST", sessions[0].target, body: "1")
            close.cut()
            let status = try bench.answer("GET", Self.handshake).status
            #expect(status == 200)
        }
    }

    @Test("A WebSocket is refused a new session too, and may join one that there is")
    func sockets() throws {
        try EngineBench.with({ $0.maximumConnections = 2 }) { bench in
            for _ in 0..<2 { try bench.request("GET", Self.handshake).cut() }
            let line = try bench.request(
                "GET",
                "/engine.io/?EIO=4&transport=websocket",
                [
                    "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                ]
            )
            #expect(try line.reply()?.status == 503)
            #expect(line.isClosed)
            let id = try #require(bench.engine.sessions.keys.first)
            let socket = try BenchPolling(bench, sid: id.text).probe()
            try socket.send("5")
            try socket.expectAlive()
        }
    }

    @Test("A handshake counts as a message of its address, over all its connections, and of no other")
    func handshakes() throws {
        try EngineBench.with({ $0.messagesPerSecond = 2 }) { bench in
            func statuses(_ count: Int, from address: String) throws -> [Int] {
                try (0..<count).map { _ in try bench.answer("GET", Self.handshake, from: address).status }
            }
            // Ten at once is what five seconds allow.
            let statusesAtOnce = try statuses(12, from: "192.0.2.1")
            #expect(statusesAtOnce == Array(repeating: 200, count: 10) + [429, 429])
            #expect(bench.engine.sessions.count == 10)
            #expect(bench.engine.counts.rateLimited[.messages] == 2)
            #expect(try statuses(1, from: "192.0.2.2") == [200])
            bench.advance(by: .seconds(1))
            #expect(try statuses(3, from: "192.0.2.1") == [200, 200, 429])
        }
    }

    @Test("An address that has used up its messages keeps the sessions it has")
    func sessionsOfBusyAddress() throws {
        try EngineBench.with({ $0.messagesPerSecond = 2 }) { bench in
            let address = "192.0.2.1"
            let (socket, _) = try BenchSocket.open(bench, from: address)
            while try bench.answer("GET", Self.handshake, from: address).status == 200 {}
            try socket.expectAlive()
            bench.advance(by: .seconds(1))
            try socket.send("4a")
            try socket.expect(.text("4a"))
        }
    }

    @Test("Packets that are polled count as messages, each of them")
    func packets() throws {
        try EngineBench.with({ $0.messagesPerSecond = 2 }) { bench in
            let address = "192.0.2.1"
            let reply = try bench.answer("GET", Self.handshake, from: address)
            #expect(reply.status == 200)
            let polling = BenchPolling(bench, sid: try #require(bench.engine.sessions.keys.first).text)
            let packets = Array(repeating: "4a", count: 10).joined(separator: "\u{1E}")
            // The handshake was the first of ten.
            let status = try bench.answer("POST", polling.target, body: packets, from: address).status
            #expect(status == 400)
            #expect(bench.engine.counts.rateLimited[.messages] == 1)
            #expect(try polling.poll() == Array(repeating: "4a", count: 9) + ["1"])
            try polling.expectGone()
        }
    }
}
