import Basics
import SocketIOClient
import Testing

@Suite("Polling", .timeLimit(.minutes(4)))
struct PollingTests {
    private let server: ScriptedServer
    private var polling: ScriptedPolling { server.polling }

    init() async throws { server = try await ScriptedServer() }

    /// Runs `body` with a socket that has joined its namespace over polling, and with its pending GET.
    private func withJoined(
        maxPayload: Int = 1_000_000,
        clock: (any Clock<Duration>)? = nil,
        _ body: (Socket, ScriptedRequest) async throws -> Void
    ) async throws {
        var configuration = try server.configuration()
        configuration.transports = .polling
        if let clock { configuration.clock = clock }
        try await SocketIOClient(configuration).withSocket { socket in
            let get = try await polling.welcome(maxPayload: maxPayload)
            #expect(await socket.next() == "connecting 1")
            #expect(await socket.next() == "connected s1 polling")
            try await body(socket, get)
        }
    }

    @Test("Several events in one response body are delivered in order")
    func events() async throws {
        try await withJoined { socket, get in
            await get.answer("42[\"a\",1]\u{1E}6\u{1E}42[\"b\"]")
            #expect(await socket.next() == "a [1]")
            #expect(await socket.next() == "b []")
            try await socket.emit("c", "ü")
            #expect(try await polling.takePost() == #"42["c","ü"]"#)
        }
    }

    @Test("Bytes are sent and received as Base64")
    func binary() async throws {
        try await withJoined { socket, get in
            let text = #"51-["picture",{"_placeholder":true,"num":0}]"#
            await get.answer("4\(text)\u{1E}bAQID")
            guard case .event("picture", [.binary([1, 2, 3])], _) = await socket.events.next() else {
                Issue.record("not the picture")
                return
            }
            try await socket.emit("picture", .binary([4, 5, 6]))
            #expect(try await polling.takePost() == "4\(text)\u{1E}bBAUG")
        }
    }

    @Test("The client ends the connection if too many of its packets wait to be sent")
    func unread() async throws {
        try await withJoined { socket, get in
            await get.answer(Array(repeating: "2", count: 2000).joined(separator: "\u{1E}"))
            let event = try #require(await socket.events.next())
            #expect(event.failure == .unread)
        }
    }

    @Test("At most one GET and one POST are pending, and all events arrive in order")
    func oneOfEach() async throws {
        try await withJoined { socket, get in
            for number in 0..<50 { try await socket.emit("n", .int(number)) }
            await get.answer("2")
            let next = try await polling.nextGet()
            var packets: [String] = []
            while packets.count < 51 {
                let parts = try await polling.takePost().split(separator: "\u{1E}").map(String.init)
                #expect(parts.count <= 16, "more than python-engineio takes")
                packets += parts
            }
            #expect(packets.contains("3"))
            #expect(packets.filter { $0 != "3" } == (0..<50).map { "42[\"n\",\($0)]" })
            await next.answer("6")
            _ = try await polling.nextGet()
            #expect(await [polling.maximumGets, polling.maximumPosts] == [1, 1])
        }
    }

    @Test("POST bodies do not exceed the server's size limit, and a larger event is rejected")
    func maxPayload() async throws {
        try await withJoined(maxPayload: 30) { socket, _ in
            let large = String(repeating: "x", count: 40)
            try await socket.emit("one")
            let first = try await polling.nextPost()  // until its answer, further events are queued
            for name in ["two", "three"] { try await socket.emit(name) }
            await #expect(throws: SocketError.tooLarge(bytes: 46, limit: 30)) { try await socket.emit(large) }
            for name in ["four", "five"] { try await socket.emit(name) }
            await first.answer("ok")
            #expect(try await polling.takePost() == "42[\"two\"]\u{1E}42[\"three\"]")
            #expect(try await polling.takePost() == "42[\"four\"]\u{1E}42[\"five\"]")
        }
    }

    @Test("A missing heartbeat is reported as “ping timeout”, even while a GET is pending")
    func pingTimeout() async throws {
        let clock = ScriptedClock()
        try await withJoined(clock: clock) { socket, _ in
            await clock.finishSleep(of: .seconds(45))
            let event = try #require(await socket.events.next())
            #expect(event.text == "ping timeout, retrying")
            #expect(event.failure == .silent(.seconds(45)))
        }
    }

    @Test(
        "An HTTP error is reported as “transport error” with Engine.IO's reason, and a new session opens"
    )
    func sessionUnknown() async throws {
        try await withJoined { socket, get in
            await get.answer(#"{"code":1,"message":"Session ID unknown"}"#, status: 400)
            let event = try #require(await socket.events.next())
            #expect(event.text == "transport error, retrying")
            #expect(event.failure == .broken("HTTP status 400 Bad Request: Session ID unknown"))
            _ = try await polling.welcome(sid: "s2")
            #expect(await socket.next() == "connecting 1")
            #expect(await socket.next() == "connected s2 polling")
        }
    }

    @Test(
        "A refused POST is reported as “transport error”, with the body size if the status is 413",
        arguments: [
            (500, SocketFailure.broken("HTTP status 500 Internal Server Error")),
            (413, .payloadRefused(bytes: 11)),
        ] as [(UInt32, SocketFailure)]
    )
    func refusedPost(status: UInt32, failure: SocketFailure) async throws {
        try await withJoined { socket, _ in
            try await socket.emit("large")
            try await polling.nextPost().answer("", status: status)
            let event = try #require(await socket.events.next())
            #expect(event.text == "transport error, retrying")
            #expect(event.failure == failure)
        }
    }

    @Test("A server that stops is reported as “transport error”")
    func stopped() async throws {
        try await withJoined { socket, _ in
            await server.stop()
            #expect(await socket.next() == "transport error, retrying")
        }
    }

    @Test("An Engine.IO close packet is reported as “transport close”")
    func engineClose() async throws {
        try await withJoined { socket, get in
            await get.answer("1")
            #expect(await socket.next() == "transport close, retrying")
        }
    }

    @Test("An invalid packet is reported as malformed", arguments: ["", "x", "42[\"a\"]\u{1E}", "bA"])
    func malformed(_ body: String) async throws {
        try await withJoined { socket, get in
            await get.answer(body)
            guard case .malformed = await socket.events.next()?.failure else {
                Issue.record("not malformed")
                return
            }
        }
    }

    @Test(
        "A message above the size limit is rejected, and so is a body of more than four times the limit",
        arguments: [((1 << 20) + 1, 1 << 20), (4 << 20, 4 << 20)]
    )
    func tooLarge(_ size: Int, limit: Int) async throws {
        try await withJoined { socket, get in
            await get.answer("4" + String(repeating: "2", count: size))
            #expect(await socket.events.next()?.failure == .messageTooLarge(limit: limit))
        }
    }

    @Test("Disconnecting sends a last POST and does not wait for the pending GET")
    func closing() async throws {
        let (joined, joining) = AsyncStream.makeStream(of: Void.self)
        async let stay: Void = withJoined { _, _ in joining.yield() }
        await joined.next()
        #expect(try await polling.takePost() == "41\u{1E}1")
        try await stay
    }

    @Test(
        "A refused handshake is reported with the HTTP status and Engine.IO's message",
        arguments: [
            (403, #"{"code":4,"message":"no\u001b token"}"#, "HTTP status 403 Forbidden: no  token"),
            (404, "<html>", "HTTP status 404 Not Found"), (302, "", "HTTP status 302 Found"),
        ]
    )
    func refusedHandshake(_ status: UInt32, _ body: String, _ text: String) async throws {
        var configuration = try server.configuration()
        configuration.transports = .polling
        try await SocketIOClient(configuration).withSocket { socket in
            try await polling.nextGet().answer(body, status: status)
            #expect(await socket.next() == "connecting 1")
            #expect(await socket.events.next()?.failure == .notEngineIO(text, status: Int(status)))
        }
    }
}
