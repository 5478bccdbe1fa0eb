import SocketIO
import SocketIOClient
import Testing

@Suite("Failures to connect", .timeLimit(.minutes(1)))
struct ConnectFailureTests {
    /// The failure of the first attempt.
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

    @Test("Nobody listening is a refusal")
    func refused() async throws {
        guard case .refused = try await firstFailure(of: SocketConfiguration(url: "http://127.0.0.1:1"))
        else {
            Issue.record("not refused")
            return
        }
    }

    @Test("An unknown host is unreachable")
    func unknownHost() async throws {
        let failure = try await firstFailure(of: SocketConfiguration(url: "http://nowhere.invalid:3000"))
        guard case .unreachable = failure else {
            Issue.record("not unreachable: \(String(describing: failure))")
            return
        }
    }

    @Test("Attempts go on, and count")
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

    @Test("An HTTP server that opens no WebSocket is told by its status")
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
        "What is no HTTP is no Socket.IO server",
        arguments: ["SSH-2.0-OpenSSH_9.2p1\r\n", "", "garbage", "HTTP/1.1 101 Switching Protocols\r\n\r\n"]
    )
    func notHTTP(_ answer: String) async throws {
        let failure = try await firstFailure(withRawAnswer: answer)
        guard case .notEngineIO = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    /// The failure of an attempt whose limit is over as soon as `event` has happened.
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

    @Test("A server that accepts and then says nothing is given up after the limit")
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

    @Test("A WebSocket whose server says nothing is given up after the limit")
    func silentWebSocket() async throws {
        let server = try await ScriptedServer()
        var accepted: [Any] = []
        let failure = try await self.failure(of: server.configuration()) {
            accepted.append(try await server.accept())  // dropped, it would be closed
        }
        #expect(failure?.isTimeout == true)
        withExtendedLifetime(accepted) {}
    }

    @Test("A server that does not answer CONNECT is given up after the limit")
    func silentNamespace() async throws {
        let server = try await ScriptedServer()
        let failure = try await self.failure(of: server.configuration()) {
            let peer = try await server.accept()
            await peer.send(handshake())
            #expect(await peer.next() == "40")
        }
        #expect(failure == .timedOut(.namespace, after: .seconds(20)))
    }

    @Test(
        "A WebSocket that begins with anything but a handshake is no Socket.IO server",
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

    @Test("A server before Socket.IO 3 is no Socket.IO 5 server")
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
        "Only absolute http and ws URLs without a fragment are accepted",
        arguments: ["", "localhost:3000", "ftp://a", "http://", "/a", "http://h/#a", "http://h?a#"]
    )
    func invalidURL(_ url: String) {
        #expect(throws: SocketFailure.invalidURL(url)) { try SocketConfiguration(url: url) }
    }
}

extension SocketFailure {
    /// Whether a limit of 20 s ran out; how far the client had come depends on what it has read by then.
    fileprivate var isTimeout: Bool {
        if case .timedOut(_, after: .seconds(20)) = self { true } else { false }
    }
}
