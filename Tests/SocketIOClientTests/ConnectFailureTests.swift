import Basics
import SocketIOClient
import Testing

@Suite("Connection failures", .timeLimit(.minutes(4)))
struct ConnectFailureTests {
    /// Connects and waits for the failure of the first attempt.
    private func firstFailure(of configuration: SocketConfiguration) async throws -> SocketFailure? {
        try await SocketIOClient(configuration).withSocket { socket in
            #expect(await socket.next() == "connecting 1")
            let event = try #require(await socket.events.next())
            #expect(event.text == "failed")
            return event.failure
        }
    }

    private func firstFailure(withRawAnswer text: String) async throws -> SocketFailure? {
        let server = try await RawServer()
        let configuration = try SocketConfiguration(url: "http://127.0.0.1:\(server.port)")
        return try await withThrowingTaskGroup { group in
            group.addTask { try await server.answer(with: text) }
            defer { group.cancelAll() }
            return try await firstFailure(of: configuration)
        }
    }

    @Test("A port without a listener is reported as refused")
    func refused() async throws {
        guard case .refused = try await firstFailure(of: SocketConfiguration(url: "http://127.0.0.1:1"))
        else {
            Issue.record("not refused")
            return
        }
    }

    @Test("An unknown host is reported as unreachable")
    func unknownHost() async throws {
        let failure = try await firstFailure(of: SocketConfiguration(url: "http://nowhere.invalid:3000"))
        guard case .unreachable = failure else {
            Issue.record("not unreachable: \(String(describing: failure))")
            return
        }
    }

    @Test("Failed attempts are repeated and numbered")
    func attempts() async throws {
        var configuration = try SocketConfiguration(url: "http://127.0.0.1:1")
        configuration.backoff = Backoff(initial: .milliseconds(1), maximum: .milliseconds(1))
        await SocketIOClient(configuration).withSocket { socket in
            for attempt in 1...3 {
                #expect(await socket.next() == "connecting \(attempt)")
                #expect(await socket.next() == "failed")
            }
        }
    }

    @Test("A server without Socket.IO is reported with its HTTP status")
    func notWebSocket() async throws {
        let server = try await ScriptedServer()
        guard
            case .notEngineIO(_, status: 404) = try await firstFailure(
                of: server.configuration(path: "/other/")
            )
        else {
            Issue.record("not a 404")
            return
        }
    }

    @Test(
        "An invalid response to the WebSocket handshake is reported as not being from an Engine.IO server",
        arguments: ["SSH-2.0-OpenSSH_9.2p1\r\n", "", "garbage", "HTTP/1.1 101 Switching Protocols\r\n\r\n"]
    )
    func notHTTP(_ answer: String) async throws {
        let failure = try await firstFailure(withRawAnswer: answer)
        guard case .notEngineIO = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test("A redirect is not followed, so that a server cannot direct the client to other hosts")
    func redirect() async throws {
        let other = try await RawServer()
        let text = """
            HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:\(other.port)/\r\nContent-Length: 0\r\n\r\n
            """
        try await withThrowingTaskGroup { group in
            group.addTask { try await other.answer(with: "HTTP/1.1 404 Not Found\r\n\r\n") }
            defer { group.cancelAll() }
            guard case .notEngineIO(_, status: 302) = try await firstFailure(withRawAnswer: text) else {
                Issue.record("not a 302")
                return
            }
        }
        await other.stop()
        for await _ in other.requests { Issue.record("followed") }
    }

    /// Connects and waits for the failure of an attempt that times out as soon as `event` has happened.
    private func failure(
        of configuration: SocketConfiguration,
        timingOutAfter event: () async throws -> Void
    ) async throws -> SocketFailure? {
        let clock = ScriptedClock()
        var configuration = configuration
        configuration.clock = clock
        return try await SocketIOClient(configuration).withSocket { socket in
            #expect(await socket.next() == "connecting 1")
            try await event()
            await clock.finishSleep(of: .seconds(20))
            return await socket.events.next()?.failure
        }
    }

    @Test("An attempt times out if the server accepts the connection and stays silent")
    func silent() async throws {
        let server = try await RawServer()
        let failure = try await withThrowingTaskGroup { group in
            group.addTask { try await server.answer(with: nil) }
            defer { group.cancelAll() }
            return try await self.failure(of: SocketConfiguration(url: "http://127.0.0.1:\(server.port)")) {
                _ = await server.requests.next()
            }
        }
        #expect(failure?.isTimeout == true)
    }

    @Test("An attempt times out if the server accepts the WebSocket and stays silent")
    func silentWebSocket() async throws {
        let server = try await ScriptedServer()
        var accepted: [Any] = []
        let failure = try await self.failure(of: server.configuration()) {
            accepted.append(try await server.accept())  // keeps the WebSocket open
        }
        #expect(failure?.isTimeout == true)
        withExtendedLifetime(accepted) {}
    }

    @Test("An attempt times out if the server does not answer CONNECT")
    func silentNamespace() async throws {
        let server = try await ScriptedServer()
        var accepted: [Any] = []
        let failure = try await self.failure(of: server.configuration()) {
            let peer = try await server.accept()
            accepted.append(peer)  // otherwise the WebSocket may be closed before the time is up
            await peer.send(handshake())
            #expect(await peer.next() == "40")
        }
        #expect(failure == .timedOut(.namespace, after: .seconds(20)))
        withExtendedLifetime(accepted) {}
    }

    @Test(
        "A WebSocket without a valid initial handshake is reported as not being from an Engine.IO server",
        arguments: ["hello", "0{}", "0[", "40", #"0{"sid":1}"#, ""]
    )
    func garbageHandshake(_ text: String) async throws {
        let server = try await ScriptedServer()
        try await SocketIOClient(server.configuration()).withSocket { socket in
            await (try server.accept()).send(text)
            _ = await socket.events.next()
            let failure = await socket.events.next()?.failure
            guard case .notEngineIO = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
        }
    }

    @Test("A server older than Socket.IO 3 is rejected")
    func oldServer() async throws {
        let server = try await ScriptedServer()
        try await SocketIOClient(server.configuration()).withSocket { socket in
            let peer = try await server.accept()
            await peer.send(handshake())
            await peer.send("40")
            _ = await socket.events.next()
            guard case .notEngineIO = await socket.events.next()?.failure else {
                Issue.record("accepted")
                return
            }
        }
    }

    @Test(
        "Only absolute HTTP and WebSocket URLs without a fragment are accepted",
        arguments: ["", "localhost:3000", "ftp://a", "http://", "/a", "http://h/#a", "http://h?a#"]
    )
    func invalidURL(_ url: String) {
        #expect(throws: SocketFailure.invalidURL(url)) { try SocketConfiguration(url: url) }
    }
}

extension SocketFailure {
    /// Whether the failure is a timeout after 20 s.
    ///
    /// The stage is ignored, because it depends on how much the client has read when the time ends.
    fileprivate var isTimeout: Bool {
        if case .timedOut(_, after: .seconds(20)) = self { true } else { false }
    }
}
