import Basics
import HTTPFront
import SocketIO
import Testing

@testable import SignalingServer

@Suite("Engine.IO handshake and refusals")
struct EngineRequestTests {
    private static let messages = [
        "Transport unknown", "Session ID unknown", "Bad handshake method", "Bad request", "Forbidden",
        "Unsupported protocol version",
    ]

    private func handshake(_ text: String, upgrades: JSON) throws {
        #expect(text.first == "0")
        let json = try JSON(parsing: String(text.dropFirst()))
        let sid = try #require(json["sid"]?.stringValue)
        #expect(
            json == [
                "sid": .string(sid), "upgrades": upgrades, "pingInterval": 7000, "pingTimeout": 3000,
                "maxPayload": 5000,
            ]
        )
        #expect(sid.utf8.count == 20)
        #expect(
            sid.unicodeScalars.allSatisfy {
                $0 == "-" || $0 == "_" || $0.isASCII && $0.properties.isAlphabetic || ("0"..."9").contains($0)
            }
        )
    }

    private func withBench(_ body: (EngineBench) throws -> Void) throws {
        try EngineBench.with(
            {
                $0.pingInterval = .seconds(7)
                $0.pingTimeout = .seconds(3)
                $0.maximumPayload = 5000
            },
            body
        )
    }

    @Test("A polling handshake has exactly five JSON members", arguments: ["/socket.io/", "/engine.io/"])
    func pollingHandshake(path: String) throws {
        try withBench { bench in
            let reply = try bench.answer("GET", "\(path)?EIO=4&transport=polling&t=abc")
            #expect(reply.status == 200)
            #expect(reply.headers["content-type"] == "text/plain; charset=UTF-8")
            #expect(reply.headers["cache-control"] == "no-store")
            try handshake(reply.body, upgrades: ["websocket"])
        }
    }

    @Test("A handshake over WebSocket offers no upgrade")
    func socketHandshake() throws {
        try withBench { bench in
            guard case .text(let text)? = try BenchSocket(bench).next() else {
                throw TestFailure("no handshake")
            }
            try handshake(text, upgrades: [])
        }
    }

    @Test("Each session has its own id")
    func differentIDs() throws {
        try EngineBench.with { bench in
            let ids = try (0..<50).map { _ in try BenchPolling(bench).sid }
            #expect(Set(ids).count == 50)
        }
    }

    @Test(
        "An invalid request is refused with an Engine.IO error code, and the session in its query stays open",
        arguments: [
            ("GET", "EIO=4", 0), ("GET", "EIO=4&transport=", 0), ("GET", "EIO=4&transport=smoke", 0),
            ("POST", "EIO=4&transport=smoke&sid=SID", 0), ("GET", "EIO=4&transport=polling&sid=x", 1),
            ("GET", "EIO=4&transport=polling&sid=", 1),
            ("GET", "EIO=4&transport=polling&sid=AAAAAAAAAAAAAAAAAAAA", 1),
            ("POST", "EIO=4&transport=polling&sid=AAAAAAAAAAAAAAAAAAAA", 1),
            ("GET", "EIO=4&transport=websocket&sid=AAAAAAAAAAAAAAAAAAAA", 1),
            ("POST", "EIO=4&transport=polling", 2), ("PUT", "EIO=4&transport=polling", 2),
            ("DELETE", "EIO=4&transport=polling", 2), ("GET", "EIO=4&transport=websocket", 3),
            ("GET", "EIO=4&transport=websocket&sid=SID", 3),
            ("POST", "EIO=4&transport=websocket&sid=SID", 3), ("GET", "transport=polling", 5),
            ("GET", "EIO=3&transport=polling", 5), ("GET", "EIO=5&transport=polling", 5),
            ("GET", "EIO=&transport=polling", 5), ("GET", "EIO=44&transport=polling", 5),
        ]
    )
    func refusals(method: String, query: String, code: Int) throws {
        try EngineBench.with({ $0.origin = .any }) { bench in
            let polling = try BenchPolling(bench)
            let target = "/engine.io/?\(query)"
            let reply = try bench.answer(
                method,
                String(
                    target.split(separator: "SID", omittingEmptySubsequences: false).joined(
                        separator: polling.sid
                    )
                ),
                ["Origin: http://a"]
            )
            #expect(reply.status == 400)
            #expect(reply.body == #"{"code":\#(code),"message":"\#(Self.messages[code])"}"#)
            #expect(reply.headers["content-type"] == "application/json")
            #expect(reply.headers["cache-control"] == "no-store")
            #expect(reply.headers["access-control-allow-origin"] == "*")
            #expect(bench.engine.sessions.count == 1)
            try polling.expectAlive()
        }
    }

    @Test(
        "A request to a session with a method other than GET and POST is answered with 500",
        arguments: ["PUT", "DELETE"]
    )
    func otherMethods(method: String) throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let reply = try bench.answer(method, polling.target)
            #expect(reply.status == 500)
            #expect(reply.body == "")
            try polling.expectAlive()
        }
    }

    @Test("A POST of type application/octet-stream is refused with 400 and ends the session")
    func octetStream() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let reply = try polling.post("4a", ["Content-Type: application/octet-stream"])
            #expect(reply.status == 400)
            #expect(reply.body == "")
            try polling.expectGone()
        }
    }

    @Test("A session on WebSocket refuses polling requests and stays open", arguments: ["GET", "POST"])
    func pollingOnSocket(method: String) throws {
        try EngineBench.with { bench in
            let (socket, handshake) = try BenchSocket.open(bench)
            let polling = BenchPolling(bench, sid: handshake.sid)
            let reply = try bench.answer(method, polling.target, body: method == "POST" ? "4a" : nil)
            #expect(reply.status == 400)
            #expect(reply.body == #"{"code":3,"message":"Bad request"}"#)
            try socket.expectAlive()
        }
    }

    @Test("A second WebSocket for a session is closed at once, and the first stays open")
    func secondSocket() throws {
        try EngineBench.with { bench in
            let (socket, handshake) = try BenchSocket.open(bench)
            let second = try BenchPolling(bench, sid: handshake.sid).openSocket()
            try second.expect(.close(1000))
            try second.send("4a")
            try socket.expectAlive()
            second.line.cut()
            try socket.expectAlive()
        }
    }

    @Test("An Origin header with invalid characters is refused")
    func malformedOrigin() throws {
        try EngineBench.with { bench in
            let reply = try bench.answer("GET", "/engine.io/?EIO=4&transport=polling", ["Origin: a\u{1}b"])
            #expect(reply.status == 400)
            #expect(bench.engine.sessions.isEmpty)
        }
    }
}
