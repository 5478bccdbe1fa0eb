import HTTPFront
import SocketIO
import Testing

@testable import SignalingServer

@Suite("A call while other clients misbehave")
struct NeighbourTests {
    private static let polling = "/socket.io/?EIO=4&transport=polling"

    /// Runs `body` during a call of Ann and Bob, and checks that the call was not disturbed.
    private func besideCall(
        _ configure: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (EngineBench) throws -> Void
    ) throws {
        try EngineBench.with({
            $0.isConformanceServer = false
            configure(&$0)
        }) { bench in
            let ann = try join(bench, "roomId=1&username=Ann&isCaller=true")
            let bob = try join(bench, "roomId=1&username=Bob&isCaller=false")
            #expect(try ann.texts().count == 1)
            try body(bench)
            for (speaker, listener) in [(ann, bob), (bob, ann)] {
                try speaker.send(#"42["candidate",{"candidate":"x"}]"#)
                #expect(try listener.texts() == [#"42["candidate",{"candidate":"x"}]"#])
            }
        }
    }

    private func join(_ bench: EngineBench, _ query: String, from address: String = "127.0.0.1") throws
        -> BenchSocket
    {
        let (socket, _) = try BenchSocket.open(bench, path: "/socket.io/", query: "&\(query)", from: address)
        try socket.send("40")
        try #require(try socket.texts().first?.hasPrefix("40{") == true)
        return socket
    }

    @Test("An overlong message does not disturb a call", arguments: [[1001], [600, 401], [1, 999, 1]])
    func longMessage(lengths: [Int]) throws {
        try besideCall({ $0.maximumPayload = 1000 }) { bench in
            let eve = try join(bench, "roomId=2&username=Eve&isCaller=true")
            for (index, length) in lengths.enumerated() {
                let isLast = index == lengths.count - 1
                let opcode: UInt8 = (index == 0 ? 1 : 0) | (isLast ? 0x80 : 0)
                try eve.sendFrame(opcode, [UInt8](repeating: 0x34, count: length))
            }
            try eve.expect(.close(1009))
        }
    }

    @Test("An overlong POST does not disturb a call")
    func longPost() throws {
        try besideCall({ $0.maximumPayload = 1000 }) { bench in
            let eve = try BenchPolling(bench, path: "/socket.io/")
            let status = try eve.post(String(repeating: "4", count: 1001)).status
            #expect(status == 413)
        }
    }

    @Test(
        "A malformed or overlong request does not disturb a call",
        arguments: [
            ("GET /\(String(repeating: "x", count: 8192)) HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
            ("GET / HTTP/1.1\r\nHost: localhost\r\na: \(String(repeating: "x", count: 16_385))\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\n\(String(repeating: "a: b\r\n", count: 101))\r\n", 400),
            (
                "GET / HTTP/1.1\r\n\(String(repeating: "a: \(String(repeating: "x", count: 999))\r\n", count: 33))\r\n",
                400
            ),
            ("POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65537\r\n\r\n", 413),
            ("GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx", 400),
            ("GET / HTTP/9.9\r\n\r\n", 400), ("\u{16}\u{3}\u{1}\r\n\r\n", 400),
        ]
    )
    func requests(text: String, status: Int) throws {
        try besideCall { bench in
            let line = try bench.connect()
            try line.send(text)
            #expect(try line.reply()?.status == status)
        }
    }

    @Test("Too many pipelined requests do not disturb a call")
    func pipelined() throws {
        try besideCall { bench in
            let eve = try BenchPolling(bench, path: "/socket.io/")
            let line = try eve.get()
            for _ in 0..<32 { try line.send("GET \(eve.target) HTTP/1.1\r\nHost: localhost\r\n\r\n") }
            #expect(!line.isClosed)
            try line.send("GET \(eve.target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(line.isClosed)
            try eve.expectGone()
        }
    }

    @Test("More page requests at once than permitted do not disturb a call")
    func pages() throws {
        try besideCall { bench in
            // In this test, no task answers the requests.
            let held = try (0..<ServiceLimits().requestsAtOnce).map { _ in try bench.request("GET", "/") }
            #expect(try held.allSatisfy { try $0.reply() == nil })
            let reply = try bench.answer("GET", "/")
            #expect(reply.status == 503)
            #expect(reply.headers["retry-after"] == "1")
        }
    }

    @Test("More connections than permitted do not disturb a call")
    func connections() throws {
        try besideCall({ $0.maximumConnections = 4 }) { bench in
            let lines = try (0..<3).map { _ in try bench.connect() }
            #expect(lines.map(\.isClosed) == [false, false, true])
            lines[0].cut()
            let next = try bench.connect()
            #expect(!next.isClosed)
        }
    }

    @Test("More connections per minute from one address than permitted do not disturb a call")
    func connectionRate() throws {
        try besideCall({ $0.connectionsPerMinute = 60 }) { bench in
            let lines = try (0..<61).map { _ in try bench.connect(from: "192.0.2.1") }
            #expect(lines.map(\.isClosed) == Array(repeating: false, count: 60) + [true])
            let neighbour = try bench.connect(from: "192.0.2.2")
            #expect(!neighbour.isClosed)
            for line in lines { line.cut() }
            let early = try bench.connect(from: "192.0.2.1")
            #expect(early.isClosed)
            bench.advance(by: .seconds(1))
            let late = try bench.connect(from: "192.0.2.1")
            #expect(!late.isClosed)
        }
    }

    @Test("A session with too many messages disturbs neither a call nor other sessions of its address")
    func messageRate() throws {
        try besideCall({ $0.messagesPerSecond = 4 }) { bench in
            // The burst is twenty messages, including the join.
            let (one, other) = (
                try join(bench, "roomId=2&username=Eve&isCaller=true", from: "192.0.2.1"),
                try join(bench, "roomId=2&username=Mal&isCaller=false", from: "192.0.2.1")
            )
            _ = try one.texts()
            for _ in 0..<18 { try one.send(#"42["x"]"#) }
            #expect(try other.texts().count == 18)
            try one.expectAlive()
            try one.send(#"42["x"]"#)
            #expect(try one.texts() == ["1"])
            _ = try other.texts()
            try other.expectAlive()
            #expect(bench.engine.counts.front.rateLimited[.messages] == 1)
        }
    }

    @Test("More sessions than permitted do not disturb a call")
    func sessions() throws {
        try besideCall({ $0.maximumConnections = 4 }) { bench in
            var statuses: [Int?] = []
            for _ in 0..<3 {
                let line = try bench.request("GET", Self.polling)
                statuses.append(try line.reply()?.status)
                line.cut()
            }
            #expect(statuses == [200, 200, 503])
        }
    }

    @Test(
        "Malformed packets in any transport do not disturb a call",
        arguments: ["9", "2", "49", "", "4abc"]
    )
    func breaches(text: String) throws {
        try besideCall { bench in
            let eve = try join(bench, "roomId=2&username=Eve&isCaller=true")
            try eve.send(text)
            #expect(try eve.texts() == ["1"])
            let mal = try BenchPolling(bench, path: "/socket.io/")
            _ = try mal.post(text)
            try mal.expectGone()
        }
    }

    @Test(
        "A third client in the room, or one without a valid room, does not disturb a call",
        arguments: [
            ("roomId=1&username=Eve&isCaller=true", "room_full"),
            ("roomId=x&username=Eve&isCaller=true", "roomId"),
        ]
    )
    func joins(query: String, reason: String) throws {
        try besideCall { bench in
            for _ in 0..<10 {
                let (eve, _) = try BenchSocket.open(bench, path: "/socket.io/", query: "&\(query)")
                try eve.send("40")
                let texts = try eve.texts()
                #expect(texts.count == 1)
                #expect(texts.first?.hasPrefix("44{") == true && texts.first?.contains(reason) == true)
            }
        }
    }

    @Test("A page of an unlisted origin does not disturb a call")
    func origin() throws {
        let origin = try OriginPolicy("http://a")
        try besideCall({ $0.origin = origin }) { bench in
            let status = try bench.answer("GET", Self.polling, ["Origin: http://b"]).status
            #expect(status == 403)
        }
    }
}
