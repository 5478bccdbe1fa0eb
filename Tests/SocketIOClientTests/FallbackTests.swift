import SocketIO
import SocketIOClient
import Testing

@Suite("Fallback to polling", .timeLimit(.minutes(4)))
struct FallbackTests {
    private let server: ScriptedServer

    init() async throws { server = try await ScriptedServer() }

    @Test(
        "If the WebSocket is refused, the client falls back to polling within the same attempt",
        arguments: [200, 301, 400, 403, 404, 426, 500, 502, 503] as [UInt32]
    )
    func refused(_ status: UInt32) async throws {
        await server.polling.refuseWebSockets(status: status)
        try await SocketIOClient(server.configuration()).withSocket { socket in
            _ = try await server.polling.welcome()
            #expect(await socket.next() == "connecting 1")
            #expect(await socket.next() == "connected s1 polling")
        }
        #expect(await server.polling.refusals == 1)
    }

    @Test(
        "If the WebSocket is refused with 401, or with 403 and JSON, the client does not try polling",
        arguments: [(401, "text/html"), (403, "application/json")]
    )
    func refusedClient(_ status: UInt32, _ type: String) async throws {
        await server.polling.refuseWebSockets(status: status, type: type)
        try await SocketIOClient(server.configuration()).withSocket { socket in
            #expect(await socket.next() == "connecting 1")
            guard case .notEngineIO(_, status: Int(status)) = await socket.events.next()?.failure else {
                Issue.record("not told by its status")
                return
            }
        }
        #expect(await server.polling.maximumGets == 0)
    }

    @Test("If the WebSocket is closed before the handshake, the client falls back to polling")
    func closedInHandshake() async throws {
        try await SocketIOClient(server.configuration()).withSocket { socket in
            await (try server.accept()).drop()
            _ = try await server.polling.welcome()
            #expect(await socket.next() == "connecting 1")
            #expect(await socket.next() == "connected s1 polling")
        }
    }

    @Test("A client that allows only WebSocket does not fall back to polling")
    func forcedWebSocket() async throws {
        await server.polling.refuseWebSockets(status: 400)
        var configuration = try server.configuration()
        configuration.transports = .websocket
        await SocketIOClient(configuration).withSocket { socket in
            #expect(await socket.next() == "connecting 1")
            #expect(await socket.next() == "failed")
            #expect(await socket.next() == "connecting 2")
        }
        #expect(await server.polling.maximumGets == 0)
    }

    @Test("A failure of the fallback to polling is reported")
    func bothRefused() async throws {
        await server.polling.refuseWebSockets(status: 400)
        try await SocketIOClient(server.configuration()).withSocket { socket in
            try await server.polling.nextGet().answer(#"{"message":"no"}"#, status: 403)
            #expect(await socket.next() == "connecting 1")
            let failure = await socket.events.next()?.failure
            #expect(failure == .notEngineIO("HTTP status 403 Forbidden: no", status: 403))
        }
    }

    @Test("The attempt after a fallback starts with WebSocket again")
    func nextAttempt() async throws {
        await server.polling.refuseWebSockets(status: 502)
        try await SocketIOClient(server.configuration()).withSocket { socket in
            let get = try await server.polling.welcome()
            await server.polling.acceptWebSockets()
            await get.answer("1")
            _ = try await server.welcome(sid: "s2")
            for text in [
                "connecting 1", "connected s1 polling", "transport close, retrying", "connecting 1",
                "connected s2 websocket",
            ] {
                #expect(await socket.next() == text)
            }
        }
    }
}
