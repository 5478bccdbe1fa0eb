import GLibKit
import SocketIO
import Testing

@testable import SocketIOClient

@Suite("Liveness", .timeLimit(.minutes(4)))
struct LivenessTests {
    @Test("The client reconnects if the server does not answer a liveness check")
    func silentServer() async throws {
        let server = try await RawServer()
        let clock = ScriptedClock()
        var configuration = try SocketConfiguration(url: "http://127.0.0.1:\(server.port)")
        configuration.clock = clock
        configuration.network = .unchanging
        try await SocketIOClient(configuration).withSocket { socket in
            try await server.welcomeInSilence(sid: "s1")
            #expect(await socket.next() == "connecting 1")
            #expect(await socket.next() == "connected s1 websocket")
            await socket.probe()
            await clock.finishSleep(of: .seconds(2))
            let event = try #require(await socket.events.next())
            #expect(event.text == "ping timeout, retrying")
            #expect(event.failure == .silent(.seconds(2)))
            #expect(await socket.next() == "connecting 1")
            try await server.welcomeInSilence(sid: "s2")
            #expect(await socket.next() == "connected s2 websocket")
            // The server does not answer DISCONNECT, so the test must end the wait on the scripted clock.
            async let closing: Void = clock.finishSleep(of: .seconds(1))
            await socket.disconnect()
            await closing
        }
    }

    @Test("The WebSocket transport reports the pong for each ping")
    @LoopActor func pong() async throws {
        let server = try ScriptedServer()
        let transport = WebSocketTransport(try server.configuration())
        let run = TransportRun(transport)
        let (events, eventSink) = AsyncStream.makeStream(of: TransportEvent.self)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await run.run { eventSink.yield($0) } }
            #expect(await events.next() == .reached)
            #expect(await events.next() == .requested)
            #expect(await events.next() == .opened)
            for _ in 0..<2 {
                transport.ping()
                #expect(await events.next() == .pong)
            }
            run.letGo()
        }
    }

    @Test("A connection whose local address disappears is replaced at once")
    func addressLost() async throws {
        let server = try await ScriptedServer()
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        var configuration = try server.configuration()
        configuration.network = LocalNetwork(changes: changes, addresses: { [] })
        try await SocketIOClient(configuration).withSocket { socket in
            let peer = try await server.welcome()
            defer { withExtendedLifetime(peer) {} }
            #expect(await socket.next() == "connecting 1")
            #expect(await socket.next() == "connected s1 websocket")
            change.yield()
            let event = try #require(await socket.events.next())
            #expect(event.text == "transport close, retrying")
            #expect(event.failure == .addressLost("127.0.0.1"))
            #expect(await socket.next() == "connecting 1")
            let next = try await server.welcome(sid: "s2")
            defer { withExtendedLifetime(next) {} }
            #expect(await socket.next() == "connected s2 websocket")
        }
    }

    @Test("A polling connection whose local address disappears is replaced at once")
    func pollingAddressLost() async throws {
        let server = try await ScriptedServer()
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        var configuration = try server.configuration()
        configuration.transports = .polling
        configuration.network = LocalNetwork(changes: changes, addresses: { [] })
        try await SocketIOClient(configuration).withSocket { socket in
            let get = try await server.polling.welcome()
            defer { withExtendedLifetime(get) {} }
            #expect(await socket.next() == "connecting 1")
            #expect(await socket.next() == "connected s1 polling")
            change.yield()
            #expect(await socket.events.next()?.failure == .addressLost("127.0.0.1"))
            #expect(await socket.next() == "connecting 1")
            let next = try await server.polling.welcome(sid: "s2")
            defer { withExtendedLifetime(next) {} }
            #expect(await socket.next() == "connected s2 polling")
            await server.polling.acceptClosing()
        }
    }
}
