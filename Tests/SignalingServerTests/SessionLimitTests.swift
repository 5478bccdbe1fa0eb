import Basics
import HTTPFront
import SocketIO
import Testing

@testable import SignalingServer

@Suite("Session limits", .timeLimit(.minutes(4)))
struct SessionLimitTests {
    private static let handshake = "/engine.io/?EIO=4&transport=polling"

    @Test("The number of sessions, including polling ones, is limited to the maximum number of connections")
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
            #expect(bench.engine.counts.front.connectionsRefused[.tooMany] == 1)
            line.cut()
            // The existing sessions are served, and the end of one permits a new session.
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

    @Test("The session limit refuses a new WebSocket session, but permits an upgrade")
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

    @Test("Handshakes from one address count toward its message limit, even over several connections")
    func handshakes() throws {
        try EngineBench.with({ $0.messagesPerSecond = 2 }) { bench in
            func statuses(_ count: Int, from address: String) throws -> [Int] {
                try (0..<count).map { _ in try bench.answer("GET", Self.handshake, from: address).status }
            }
            // The burst of an address is ten times the burst of a session, which is five seconds' worth.
            let statusesAtOnce = try statuses(102, from: "192.0.2.1")
            #expect(statusesAtOnce == Array(repeating: 200, count: 100) + [429, 429])
            #expect(bench.engine.sessions.count == 100)
            #expect(bench.engine.counts.front.rateLimited[.messages] == 2)
            #expect(try statuses(1, from: "192.0.2.2") == [200])
            bench.advance(by: .seconds(1))
            #expect(try statuses(21, from: "192.0.2.1") == Array(repeating: 200, count: 20) + [429])
        }
    }

    @Test("Sessions stay open when their address has reached its message limit")
    func sessionsOfBusyAddress() throws {
        try EngineBench.with({ $0.messagesPerSecond = 2 }) { bench in
            let address = "192.0.2.1"
            let (socket, _) = try BenchSocket.open(bench, from: address)
            while try bench.answer("GET", Self.handshake, from: address).status == 200 {}
            for _ in 0..<2 {
                try socket.send("4a")
                try socket.expect(.text("4a"))
            }
            try socket.send("4a")
            #expect(bench.engine.counts.front.rateLimited[.messages] == 2)
        }
    }

    @Test("A session that exceeds the message limit is closed, and others from its address stay open")
    func flooder() throws {
        try EngineBench.with({ $0.messagesPerSecond = 2 }) { bench in
            let address = "192.0.2.1"
            let (calm, _) = try BenchSocket.open(bench, from: address)
            for _ in 0..<5 {
                let (flooder, _) = try BenchSocket.open(bench, from: address)
                for _ in 0..<11 { try flooder.send("4a") }
                #expect(try flooder.texts().count { $0 == "4a" } == 10)
            }
            #expect(bench.engine.sessions.count == 1)
            #expect(bench.engine.counts.front.rateLimited[.messages] == 5)
            try calm.send("4a")
            try calm.expect(.text("4a"))
        }
    }

    @Test("A session that sends too many bytes is closed, and others from its address stay open")
    func bytes() throws {
        try EngineBench.with({ $0.bytesPerSecond = 1000 }) { bench in
            let address = "192.0.2.1"
            let (calm, _) = try BenchSocket.open(bench, from: address)
            let (flooder, _) = try BenchSocket.open(bench, from: address)
            // The burst is five seconds' worth of bytes. The message that exceeds it is still accepted whole.
            for _ in 0..<5 { try flooder.send("4" + String(repeating: "x", count: 1200)) }
            #expect(try flooder.texts().count { $0.hasPrefix("4") } == 5)
            try flooder.send("4")
            try flooder.expect(.text("1"))
            #expect(bench.engine.counts.front.rateLimited[.bytes] == 1)
            #expect(bench.engine.sessions.count == 1)
            try calm.send("4a")
            try calm.expect(.text("4a"))
        }
    }

    @Test("An event that asks for an acknowledgement counts as eleven times its bytes")
    func decodedBytes() async throws {
        try await withServer({
            $0.limitsLoopback = true
            $0.bytesPerSecond = 10_000
        }) { server in
            try await TestPeer.with(server, as: "Ann", true) { ann in
                let text = JSON.string(String(repeating: "x", count: 6000))
                // The burst is 50,000 bytes.
                for _ in 0..<2 { try await ann.send(.event("question", [text])) }
                try await ann.isHeard()
                #expect(try await server.counts.front.rateLimited[.bytes] == 0)
                try await ann.send(.event("question", [text], ackID: 1))
                try await ann.send(.event("question", [text]))
                while try await ann.next() != nil {}
                #expect(try await server.counts.front.rateLimited[.bytes] == 1)
            }
        }
    }

    @Test("The bytes of loopback clients are not limited")
    func bytesOfLoopback() throws {
        try EngineBench.with({ $0.bytesPerSecond = 1000 }) { bench in
            let (socket, _) = try BenchSocket.open(bench)
            for _ in 0..<20 { try socket.send("4" + String(repeating: "x", count: 1200)) }
            #expect(try socket.texts().count == 20)
        }
    }

    @Test("The bytes of POST bodies count against the byte limit of a session")
    func postedBytes() throws {
        try EngineBench.with({
            $0.bytesPerSecond = 1000
            $0.limitsLoopback = true
        }) { bench in
            let polling = try BenchPolling(bench)
            try polling.send("4" + String(repeating: "x", count: 6000))
            let status = try polling.post("4a").status
            #expect(status == 400)
            #expect(try polling.poll()?.last == "1")
            try polling.expectGone()
            #expect(bench.engine.counts.front.rateLimited[.bytes] == 1)
        }
    }

    @Test("A pong that answers a ping does not count as a message, and other pongs do")
    func pongs() throws {
        try EngineBench.with({ $0.messagesPerSecond = 2 }) { bench in
            let (socket, _) = try BenchSocket.open(bench, from: "192.0.2.1")
            bench.advance(by: .seconds(25))
            try socket.expect(.text("2"))
            for _ in 0..<9 { try socket.send("4a") }
            try socket.send("3")
            #expect(try socket.texts().count == 9)
            try socket.expectAlive()
            try socket.send("3")
            #expect(bench.engine.sessions.isEmpty)
        }
    }

    @Test("Control and empty frames count as messages", arguments: [0x89, 0x8A, 0x01] as [UInt8])
    func frames(firstByte: UInt8) throws {
        try EngineBench.with({ $0.messagesPerSecond = 2 }) { bench in
            let (socket, _) = try BenchSocket.open(bench, from: "192.0.2.1")
            for index in 0..<10 {
                // A fragmented message continues with continuation frames.
                try socket.sendFrame(firstByte == 0x01 && index > 0 ? 0x00 : firstByte, [])
            }
            #expect(bench.engine.sessions.count == 1)
            try socket.sendFrame(firstByte == 0x01 ? 0x00 : firstByte, [])
            #expect(bench.engine.sessions.isEmpty)
            #expect(bench.engine.counts.front.rateLimited[.messages] == 1)
        }
    }

    @Test(
        "A request without a session counts as a message of its address, not of other addresses",
        arguments: [
            ("OPTIONS", "/socket.io/?EIO=4", 204), ("DELETE", "/", 405),
            ("GET", "/socket.io/?EIO=3&transport=polling", 400), ("GET", "/socket.io/?EIO=4&sid=x", 400),
        ]
    )
    func requests(method: String, target: String, status: Int) throws {
        try EngineBench.with({ $0.messagesPerSecond = 1 }) { bench in
            let statuses = try (0..<51).map { _ in
                try bench.answer(method, target, from: "192.0.2.1").status
            }
            #expect(statuses == Array(repeating: status, count: 50) + [429])
            let line = try bench.request(method, target, from: "192.0.2.1")
            #expect(try line.reply()?.headers["connection"] == "close")
            #expect(line.isClosed)
            #expect(try bench.answer("GET", "/healthz", from: "192.0.2.1").status == 429)
            #expect(try bench.answer(method, target, from: "192.0.2.2").status == status)
            bench.advance(by: .seconds(1))
            #expect(try bench.answer(method, target, from: "192.0.2.1").status == status)
        }
    }

    @Test("The session limit applies to each address separately")
    func countOfAddress() throws {
        try EngineBench.with({ $0.connectionsPerAddress = 3 }) { bench in
            func status(from address: String) throws -> Int? {
                let line = try bench.request("GET", Self.handshake, from: address)
                defer { line.cut() }
                return try line.reply()?.status
            }
            let statuses = try (0..<4).map { _ in try status(from: "192.0.2.1") }
            #expect(statuses == [200, 200, 200, 429])
            #expect(try status(from: "192.0.2.2") == 200)
            #expect(bench.engine.counts.front.connectionsRefused[.tooManyOfAddress] == 1)
            // Expired sessions no longer count.
            bench.advance(by: .seconds(60))
            #expect(try status(from: "192.0.2.1") == 200)
        }
    }

    @Test("By default, a quarter of all connections may come from one address")
    func shareOfAddress() throws {
        try EngineBench.with({ $0.maximumConnections = 8 }) { bench in
            let refused = try (0..<3).map { _ in try bench.connect(from: "192.0.2.1").isClosed }
            #expect(refused == [false, false, true])
        }
    }

    @Test("Each packet in the body of a POST counts as a message")
    func packets() throws {
        try EngineBench.with({ $0.messagesPerSecond = 2 }) { bench in
            let address = "192.0.2.1"
            let reply = try bench.answer("GET", Self.handshake, from: address)
            #expect(reply.status == 200)
            let polling = BenchPolling(bench, sid: try #require(bench.engine.sessions.keys.first).text)
            let packets = Array(repeating: "4a", count: 11).joined(separator: "\u{1E}")
            let status = try bench.answer("POST", polling.target, body: packets, from: address).status
            #expect(status == 400)
            #expect(bench.engine.counts.front.rateLimited[.messages] == 1)
            #expect(try polling.poll() == Array(repeating: "4a", count: 10) + ["1"])
            try polling.expectGone()
        }
    }
}
