import Basics
import SocketIO
import SocketIOClient
import Testing

@Suite("Socket.IO client", .timeLimit(.minutes(4)))
struct ClientTests {
    private let server: ScriptedServer

    init() async throws { server = try await ScriptedServer() }

    /// Runs `body` with a socket that has joined its namespace, and with the server's end of the connection.
    private func withJoined(
        _ configuration: SocketConfiguration? = nil,
        _ body: (Socket, ScriptedSocket) async throws -> Void
    ) async throws {
        let configuration = if let configuration { configuration } else { try server.configuration() }
        try await SocketIOClient(configuration).withSocket { socket in
            let peer = try await server.welcome()
            #expect(await socket.next() == "connecting 1")
            #expect(await socket.next() == "connected s1 websocket")
            try await body(socket, peer)
        }
    }

    @Test("Each of 100 consecutive connections is established at the first attempt")
    func manyConnections() async throws {
        for _ in 0..<100 { try await withJoined { _, _ in } }
    }

    @Test("The handshake carries the query, and CONNECT carries the auth payload")
    func queryAndAuth() async throws {
        var configuration = try server.configuration(query: ["username": "Ann & Bob", "roomId": "1"])
        configuration.auth = ["key": "k"]
        try await SocketIOClient(configuration).withSocket { _ in
            let peer = try await server.accept()
            #expect(peer.query == "EIO=4&transport=websocket&roomId=1&username=Ann%20%26%20Bob")
            await peer.send(handshake())
            #expect(await peer.next() == #"40{"key":"k"}"#)
        }
    }

    @Test("Events are delivered in order in both directions")
    func events() async throws {
        try await withJoined { socket, peer in
            await peer.send(#"42["offer",{"sdp":"v=0"}]"#)
            await peer.send(#"42["candidate",1,null]"#)
            #expect(await socket.next() == #"offer [{"sdp":"v=0"}]"#)
            #expect(await socket.next() == "candidate [1,null]")
            try await socket.emit("answer", ["sdp": "v=0"], 2)
            try await socket.emit("bye")
            #expect(await peer.next() == #"42["answer",{"sdp":"v=0"},2]"#)
            #expect(await peer.next() == #"42["bye"]"#)
        }
    }

    @Test("Bytes are sent and received as attachments")
    func binary() async throws {
        try await withJoined { socket, peer in
            await peer.send(#"451-["picture",{"_placeholder":true,"num":0}]"#)
            await peer.send([1, 2, 3])
            guard case .event("picture", [.binary([1, 2, 3])], _) = await socket.events.next() else {
                Issue.record("not the picture")
                return
            }
            try await socket.emit("picture", .binary([4, 5, 6]))
            #expect(await peer.next() == #"451-["picture",{"_placeholder":true,"num":0}]"#)
            #expect(await peer.next() == "bBAUG")
        }
    }

    @Test("An acknowledgement completes the `emitWithAck` call that requested it")
    func ackFromServer() async throws {
        try await withJoined { socket, peer in
            async let first = socket.emitWithAck("one", timeout: .seconds(30))
            #expect(await peer.next() == #"420["one"]"#)
            async let second = socket.emitWithAck("two", timeout: .seconds(30))
            #expect(await peer.next() == #"421["two"]"#)
            await peer.send(#"431["b"]"#)
            await peer.send(#"430["a"]"#)
            let answers = try await [first, second]
            #expect(answers == [["a"], ["b"]])
        }
    }

    @Test("Emitting throws if the requested acknowledgement does not arrive in time")
    func ackTimeout() async throws {
        try await withJoined { socket, _ in
            await #expect(throws: SocketError.timedOut) {
                try await socket.emitWithAck("one", timeout: .milliseconds(5))
            }
        }
    }

    @Test("Emitting throws if the connection is lost before the requested acknowledgement arrives")
    func ackLost() async throws {
        try await withJoined { socket, peer in
            await withTaskGroup { group in
                group.addTask {
                    await #expect(throws: SocketError.disconnected) {
                        try await socket.emitWithAck("one", timeout: .seconds(30))
                    }
                }
                #expect(await peer.next() == #"420["one"]"#)
                await peer.drop()
            }
        }
    }

    @Test("The client acknowledges an event if the server requests it")
    func ackFromClient() async throws {
        try await withJoined { socket, peer in
            await peer.send(#"4217["question"]"#)
            guard case .event(_, _, let ack?) = await socket.events.next() else {
                Issue.record("no acknowledgement asked for")
                return
            }
            await ack("yes", 1)
            #expect(await peer.next() == #"4317["yes",1]"#)
        }
    }

    @Test("Events emitted before the connection is open are sent afterwards")
    func buffered() async throws {
        try await SocketIOClient(server.configuration()).withSocket { socket in
            try await socket.emit("one")
            try await socket.emit("two")
            let peer = try await server.welcome()
            #expect(await peer.next() == #"42["one"]"#)
            #expect(await peer.next() == #"42["two"]"#)
        }
    }

    @Test("The buffer for unsent events is bounded")
    func bufferLimit() async throws {
        var configuration = try server.configuration()
        configuration.bufferLimit = 2
        try await SocketIOClient(configuration).withSocket { socket in
            try await socket.emit("one")
            try await socket.emit("two")
            await #expect(throws: SocketError.bufferFull) { try await socket.emit("three") }
        }
    }

    @Test("The client answers the server's ping")
    func ping() async throws {
        try await withJoined { _, peer in
            await peer.send("2")
            #expect(await peer.next() == "3")
        }
    }

    @Test("A client in another namespace ignores the events of the main namespace")
    func namespace() async throws {
        var configuration = try server.configuration()
        configuration.namespace = "/chat"
        try await SocketIOClient(configuration).withSocket { socket in
            let peer = try await server.accept()
            await peer.send(handshake())
            #expect(await peer.next() == "40/chat,")
            await peer.send(#"40/chat,{"sid":"c"}"#)
            #expect(await socket.next() == "connecting 1")
            #expect(await socket.next() == "connected c websocket")
            await peer.send(#"42["elsewhere"]"#)
            await peer.send(#"42/chat,["here"]"#)
            #expect(await socket.next() == "here []")
            try await socket.emit("hello")
            #expect(await peer.next() == #"42/chat,["hello"]"#)
        }
    }

    @Test("The socket disconnects from the server when its scope ends")
    func closing() async throws {
        var peer: ScriptedSocket?
        try await withJoined { _, end in peer = end }
        #expect(await peer?.next() == "41")
        #expect(await peer?.next() == "1")
        #expect(await peer?.next() == "closed 1000")
    }

    @Test("A cancelled task can still send an event, and then disconnects")
    func cancelled() async throws {
        let server = server
        let (joined, joining) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await SocketIOClient(server.configuration()).withSocket { socket in
                    joining.yield()
                    for await _ in socket.events {}
                    try await socket.emit("hangup")
                }
            }
            await joined.next()
            let peer = try await server.welcome()
            await peer.send("2")
            #expect(await peer.next() == "3")
            group.cancelAll()
            #expect(await peer.next() == #"42["hangup"]"#)
            #expect(await peer.next() == "41")
            try await group.waitForAll()
        }
    }
}
