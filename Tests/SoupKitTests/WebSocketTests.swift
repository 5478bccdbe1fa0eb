import GLibKit
import SoupKit
import Testing

@Suite("WebSocket client", .timeLimit(.minutes(4)))
struct WebSocketTests {
    /// Runs `body` with a connection to `url` and its events.
    private func connecting(
        to url: String,
        subprotocols: [String] = [],
        limit: Int = 1 << 20,
        _ body: (WebSocketConnection, AsyncStream<WebSocketEvent>) async throws -> Void
    ) async throws {
        let (events, sink) = AsyncStream.makeStream(of: WebSocketEvent.self)
        let connection = WebSocketConnection(
            HTTPRequest(url, limit: limit),
            subprotocols: subprotocols,
            settings: HTTPSessionSettings(
                trust: .system,
                usesProxies: false,
                idleLimit: .zero,
                links: TCPLinks(onReached: {})
            )
        ) { sink.yield($0) }
        try await connection.open()
        try await body(connection, events)
    }

    @Test("Text and binary messages travel in both directions, and the server selects a subprotocol")
    func echo() async throws {
        let server = try await TestServer()
        try await connecting(to: "ws://127.0.0.1:\(server.port)/ws", subprotocols: ["zero", "two"]) {
            connection,
            events in
            #expect(await events.next() == .requested)
            #expect(await events.next() == .opened(subprotocol: "two"))
            await connection.send("a\u{0}ü")
            #expect(await events.next() == .text("a\u{0}ü"))
            await connection.send([0, 255])
            #expect(await events.next() == .binary([0, 255]))
            await connection.ping()
            #expect(await events.next() == .pong)
        }
    }

    @Test("The close code and the reason of either side are reported")
    func close() async throws {
        let server = try await TestServer()
        let url = "ws://127.0.0.1:\(server.port)/ws"
        try await connecting(to: url) { connection, events in
            _ = (await events.next(), await events.next())
            await connection.send("close")
            #expect(await events.next() == .closed(code: 4001, reason: "as requested"))
        }
        try await connecting(to: url) { connection, events in
            _ = (await events.next(), await events.next())
            await connection.close(code: 4002, reason: "done")
            #expect(await events.next() == .closed(code: 4002, reason: "done"))
            // Lost, and not an error.
            await connection.send("late")
        }
    }

    @Test("A message above the limit ends the connection")
    func limit() async throws {
        let server = try await TestServer()
        try await connecting(to: "ws://127.0.0.1:\(server.port)/ws", limit: 1000) { connection, events in
            _ = (await events.next(), await events.next())
            await connection.send([UInt8](repeating: 1, count: 1000))
            #expect(await events.next() == .binary([UInt8](repeating: 1, count: 1000)))
            await connection.send([UInt8](repeating: 1, count: 1001))
            #expect(await events.next() == .failed(.tooLarge(limit: 1000)))
        }
    }

    @Test(
        "Too many messages that the server does not read end the connection",
        arguments: [(4000, 8000), (1 << 20, 40)]
    )
    func unread(_ length: Int, _ count: Int) async throws {
        let server = try await TestServer()
        try await connecting(to: "ws://127.0.0.1:\(server.port)/ws") { connection, events in
            _ = (await events.next(), await events.next())
            await Self.send([UInt8](repeating: 1, count: length), times: count, on: connection)
            var last = await events.next()
            while case .binary = last { last = await events.next() }
            #expect(last == .failed(.unread))
        }
    }

    /// Sends messages without returning to the loop, on which the server reads.
    @LoopActor
    private static func send(_ bytes: [UInt8], times count: Int, on connection: WebSocketConnection) {
        for _ in 0..<count { connection.send(bytes) }
    }

    @Test("A refused handshake is reported with its status and content type")
    func refused() async throws {
        let server = try await TestServer { _ in
            TestServer.Response(status: 403, headers: HTTPHeaders(["Content-Type": "application/json"]))
        }
        try await connecting(to: "ws://127.0.0.1:\(server.port)/other") { _, events in
            #expect(await events.next() == .requested)
            #expect(await events.next() == .refused(status: 403, type: "application/json"))
        }
        await server.stop()
        try await connecting(to: "ws://127.0.0.1:\(server.port)/ws") { _, events in
            guard case .failed(.refused) = await events.next() else {
                Issue.record("the port is open")
                return
            }
        }
    }
}

extension AsyncStream where Element: Sendable {
    fileprivate func next() async -> Element? { await first { _ in true } }
}
