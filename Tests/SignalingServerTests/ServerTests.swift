import HTTPFront
import Logging
import SignalingServer
import SocketIO
import Testing

@Suite("Server lifecycle", .timeLimit(.minutes(4)))
struct ServerTests {
    @Test("A server reports its port and URL")
    func url() async throws {
        try await withServer { server in
            #expect(server.port > 0)
            #expect(server.url == "http://127.0.0.1:\(server.port)")
        }
    }

    @Test("A port in use is reported as addressInUse, and other failures to bind as bind")
    func addressInUse() async throws {
        try await withServer { server in
            await #expect(throws: ServerError.addressInUse(host: "127.0.0.1", port: server.port)) {
                try await withServer({ $0.port = server.port }) { _ in }
            }
        }
        await #expect {
            try await withServer({ $0.host = "203.0.113.1" }) { _ in }
        } throws: { error in
            if case .bind = error as? ServerError { true } else { false }
        }
    }

    @Test("If several servers bind the same port simultaneously, exactly one succeeds")
    func race() async throws {
        let place = try HeldPort()
        let (winners, winner) = AsyncStream.makeStream(of: Int.self)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<4 {
                group.addTask {
                    do {
                        try await withServer({ $0.port = place.port }) { _ in
                            winner.yield(number)
                            // The winner keeps the port until all others have been refused.
                            for await _ in AsyncStream<Never>.makeStream().stream {}
                        }
                        return true
                    } catch is ServerError {
                        return false
                    }
                }
            }
            for _ in 0..<3 {
                let hasWon = try await group.next()
                #expect(hasWon == false)
            }
            group.cancelAll()
            let hasWon = try await group.next()
            #expect(hasWon == true)
        }
        winner.finish()
        #expect(await winners.reduce(0) { count, _ in count + 1 } == 1)
    }

    @Test("The port is free again after the server has stopped")
    func portIsFreed() async throws {
        let port = try await withServer { server in
            try await TestPeer.with(server, as: "Ann", true) { _ in server.port }
        }
        try await withServer({ $0.port = port }) { #expect($0.port == port) }
    }

    @Test("A stopping server closes all connections, even if clients do not answer the close frame")
    func shutdown() async throws {
        let (servers, started) = AsyncStream.makeStream(of: ListeningServer.self)
        let (signals, stop) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await withServer { server in
                    started.yield(server)
                    for await _ in signals {}
                }
            }
            guard let server = await servers.first(where: { _ in true }) else { return }
            try await TestPeer.with(server, as: "Ann", true) { ann in
                try await TestConnection.with(port: server.port) { idle in
                    stop.finish()
                    try await ann.socket.expect(.text("1"))
                    try await ann.socket.expect(.close(1001))
                    #expect(try await idle.readToEnd() == "")
                    // Ann does not answer the close frame, but is disconnected anyway.
                    try await ann.socket.expect(.end)
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test("Events received before a stop are relayed before the server closes the connections")
    func lastWords() async throws {
        let (servers, started) = AsyncStream.makeStream(of: ListeningServer.self)
        let (signals, stop) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await withServer { server in
                    started.yield(server)
                    for await _ in signals {}
                }
            }
            guard let server = await servers.first(where: { _ in true }) else { return }
            try await TestPeer.with(server, as: "Ann", true) { ann in
                try await TestPeer.with(server, as: "Bob", false) { bob in
                    try await bob.send(.event("hangup"))
                    try await bob.send(SocketPacket(type: .disconnect))
                    try await bob.socket.connection.flush()
                    stop.finish()
                    _ = try await ann.next()
                    try await ann.expect(.event("hangup"))
                    #expect(try await ann.next()?.eventName == "room_user_left")
                    try await ann.expect(nil)
                }
            }
        }
    }

    @Test("An error thrown by the body of `run` is rethrown")
    func bodyThrows() async throws {
        await #expect(throws: CancellationError.self) {
            try await withServer { _ in throw CancellationError() }
        }
    }

    @Test("A connection above the limit is closed, and the existing ones stay open")
    func connectionLimit() async throws {
        try await withServer({ $0.maximumConnections = 1 }) { server in
            try await TestPeer.with(server, as: "Ann", true) { ann in
                try await TestConnection.with(port: server.port) { connection in
                    let text = try await connection.readToEnd()
                    #expect(text == "")
                }
                try await ann.socket.sendFrame(0x89, [])
                try await ann.socket.expect(.pong([]))
            }
        }
    }
}
