import Basics
import SocketIO
import SocketIOClient
import Testing

@Suite("Disconnection", .timeLimit(.minutes(4)))
struct DisconnectionTests {
    private let server: ScriptedServer

    init() async throws { server = try await ScriptedServer() }

    /// Runs `body` with a socket that has joined its namespace, and with the server's end of the connection.
    private func withJoined(_ body: (Socket, ScriptedSocket) async throws -> Void) async throws {
        try await SocketIOClient(server.configuration()).withSocket { socket in
            let peer = try await server.welcome()
            #expect(await socket.next() == "connecting 1")
            #expect(await socket.next() == "connected s1 websocket")
            try await body(socket, peer)
        }
    }

    private func expectReconnection(of socket: Socket) async throws {
        #expect(await socket.next() == "connecting 1")
        _ = try await server.welcome(sid: "s2")
        #expect(await socket.next() == "connected s2 websocket")
    }

    @Test("A dropped TCP connection is reported as “transport close”, and the client reconnects")
    func dropped() async throws {
        try await withJoined { socket, peer in
            await peer.drop()
            #expect(await socket.next() == "transport close, retrying")
            try await expectReconnection(of: socket)
        }
    }

    @Test("A closed WebSocket is reported as “transport close” with its code", arguments: [1000, 1001, 1011])
    func closed(_ code: Int) async throws {
        try await withJoined { socket, peer in
            await peer.close(code: UInt16(code))
            let event = try #require(await socket.events.next())
            #expect(event.text == "transport close, retrying")
            #expect(event.failure == .closed(code: code))
            try await expectReconnection(of: socket)
        }
    }

    @Test("An Engine.IO close packet is reported as “transport close”")
    func engineClose() async throws {
        try await withJoined { socket, peer in
            await peer.send("1")
            #expect(await socket.next() == "transport close, retrying")
            try await expectReconnection(of: socket)
        }
    }

    @Test("A missing heartbeat is reported as “ping timeout”")
    func pingTimeout() async throws {
        let clock = ScriptedClock()
        var configuration = try server.configuration()
        configuration.clock = clock
        try await SocketIOClient(configuration).withSocket { socket in
            let peer = try await server.welcome()
            defer { withExtendedLifetime(peer) {} }
            #expect(await socket.next() == "connecting 1")
            #expect(await socket.next() == "connected s1 websocket")
            await clock.finishSleep(of: .seconds(45))
            let event = try #require(await socket.events.next())
            #expect(event.text == "ping timeout, retrying")
            #expect(event.failure == .silent(.seconds(45)))
        }
    }

    @Test(
        "An invalid Socket.IO packet is reported as “parse error”, and the client reconnects",
        arguments: ["49", "42{}", "42[", "451-[\"a\"]+2", "42[\"connect\"]", "4"]
    )
    func parseError(_ text: String) async throws {
        try await withJoined { socket, peer in
            await peer.send(text)
            if text.hasSuffix("+2") { await peer.send("42[\"b\"]") }
            #expect(await socket.next().hasPrefix("parse error"))
            try await expectReconnection(of: socket)
        }
    }

    @Test("An invalid Engine.IO packet is reported as “transport error”", arguments: ["", "x", "9", "é"])
    func engineError(_ text: String) async throws {
        try await withJoined { socket, peer in
            await peer.send(text)
            #expect(await socket.next() == "transport error, retrying")
            try await expectReconnection(of: socket)
        }
    }

    @Test("A message above the size limit is reported as “transport error”", arguments: [1 << 20, 10 << 20])
    func tooLarge(_ size: Int) async throws {
        try await withJoined { socket, peer in
            await peer.send(#"42["large",""# + String(repeating: "x", count: size) + #""]"#)
            let event = try #require(await socket.events.next())
            #expect(event.text == "transport error, retrying")
            #expect(event.failure == .messageTooLarge(limit: 1 << 20))
            try await expectReconnection(of: socket)
        }
    }

    @Test("A fragmented message without a final frame is reported when it exceeds the size limit")
    func unfinished() async throws {
        let server = try await RawServer()
        var configuration = try SocketConfiguration(url: "http://127.0.0.1:\(server.port)")
        // After a change of the host's network, the client would ping this server, which answers no ping.
        configuration.network = .unchanging
        try await withThrowingTaskGroup { group in
            // Ends with an error when the client closes the connection.
            group.addTask { try? await server.welcomeWithUnfinishedMessage(sid: "s1", of: 8 << 20) }
            defer { group.cancelAll() }
            try await SocketIOClient(configuration).withSocket { socket in
                #expect(await socket.next() == "connecting 1")
                #expect(await socket.next() == "connected s1 websocket")
                let event = try #require(await socket.events.next())
                #expect(event.text == "transport error, retrying")
                #expect(event.failure == .messageTooLarge(limit: 1 << 20))
            }
        }
    }

    @Test("A message just below the size limit is delivered completely")
    func large() async throws {
        try await withJoined { socket, peer in
            let text = String(repeating: "x", count: (1 << 20) - 100)
            await peer.send(#"42["large",""# + text + #""]"#)
            guard case .event("large", [.string(text)], _) = await socket.events.next() else {
                Issue.record("not the large event")
                return
            }
        }
    }

    @Test("After a disconnection by the server, only connect() reconnects")
    func serverDisconnect() async throws {
        try await withJoined { socket, peer in
            await peer.send("41")
            #expect(await socket.next() == "io server disconnect")
            #expect(await peer.next() == "1")
            await socket.connect()
            try await expectReconnection(of: socket)
        }
    }

    @Test("connect() after disconnect() reconnects when the server has received DISCONNECT")
    func clientDisconnect() async throws {
        try await withJoined { socket, peer in
            await socket.disconnect()
            await socket.connect()
            #expect(await socket.next() == "io client disconnect")
            #expect(await peer.next() == "41")
            #expect(await peer.next() == "1")
            #expect(await peer.next() == "closed 1000")
            try await expectReconnection(of: socket)
        }
    }

    @Test("A refused namespace is reported with the server's message and data, and is not retried")
    func refused() async throws {
        try await SocketIOClient(server.configuration()).withSocket { socket in
            let peer = try await server.accept()
            await peer.send(handshake())
            #expect(await peer.next() == "40")
            await peer.send(#"44{"message":"room_full","data":{"limit":2}}"#)
            #expect(await socket.next() == "connecting 1")
            #expect(await socket.next() == #"refused room_full {"limit":2}"#)
            #expect(await peer.next() == "1")
            await socket.connect()
            try await expectReconnection(of: socket)
        }
    }

    @Test("Events emitted while disconnected are sent over the next connection")
    func bufferedBetween() async throws {
        try await withJoined { socket, peer in
            await peer.drop()
            #expect(await socket.next() == "transport close, retrying")
            try await socket.emit("kept")
            let next = try await server.welcome(sid: "s2")
            #expect(await next.next() == #"42["kept"]"#)
        }
    }

    @Test("The client sends no acknowledgement for an event of a lost connection")
    func staleAck() async throws {
        try await withJoined { socket, peer in
            await peer.send(#"421["question"]"#)
            guard case .event(_, _, let ack?) = await socket.events.next() else {
                Issue.record("no acknowledgement asked for")
                return
            }
            await peer.drop()
            let next = try await server.welcome(sid: "s2")
            #expect(await socket.next() == "transport close, retrying")
            try await expectConnected(socket)
            await ack("late")
            try await socket.emit("marker")
            #expect(await next.next() == #"42["marker"]"#)
        }
    }

    private func expectConnected(_ socket: Socket) async throws {
        #expect(await socket.next() == "connecting 1")
        #expect(await socket.next() == "connected s2 websocket")
    }

    @Test("The client closes the connection if the application reads events too slowly")
    func flooded() async throws {
        try await withJoined { socket, peer in
            for _ in 0..<2000 { await peer.send(#"42["noise"]"#) }
            var last = await socket.events.next()
            while case .event = last { last = await socket.events.next() }
            #expect(last?.text == "transport error, retrying")
            #expect(last?.failure == .flooded)
        }
    }

    @Test("The client closes the connection if unread events take too much memory")
    func largeEvents() async throws {
        try await withJoined { socket, peer in
            let text = String(repeating: "x", count: 900_000)
            for _ in 0..<40 { await peer.send(#"42["noise","\#(text)"]"#) }
            var last = await socket.events.next()
            while case .event = last { last = await socket.events.next() }
            #expect(last?.failure == .flooded)
        }
    }

    @Test("A ping with a long payload ends the connection with a parse error")
    func longPing() async throws {
        try await withJoined { socket, peer in
            await peer.send("2" + String(repeating: "x", count: 129))
            let event = try #require(await socket.events.next())
            #expect(event.text == "parse error, retrying")
            #expect(event.failure == .malformed("a ping of 129 bytes"))
        }
    }
}
