import Basics
import HTTPFront
import SocketIO
import Testing

@testable import SignalingServer

@Suite("Limits that a client exceeds during a call of other clients", .timeLimit(.minutes(4)))
struct LimitTests {
    private static let offender = "127.0.0.9"

    /// Runs `body` while Ann and Bob are in a call from another address, and checks that the call continues.
    private func besideCall(
        _ configure: (inout ServerConfiguration) -> Void,
        _ body: (ListeningServer) async throws -> Void
    ) async throws {
        try await withServer({
            $0.limitsLoopback = true
            configure(&$0)
        }) { server in
            try await TestPeer.with(server, as: "Ann", true) { ann in
                try await TestPeer.with(server, as: "Bob", false) { bob in
                    _ = try await ann.next()
                    try await body(server)
                    try await ann.send(.event("question", ackID: 1))
                    let id = try #require(try await bob.next()?.ackID)
                    try await bob.send(.ack(id))
                    try await ann.expect(.ack(1))
                }
            }
        }
    }

    /// Returns whether the server answers an HTTP request from this address.
    private func isServed(_ server: ListeningServer, from address: String) async throws -> Bool {
        try await TestConnection.with(port: server.port, from: address) { connection in
            // The server may close the connection before this is sent.
            try? await connection.send(
                "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            )
            return try await connection.readToEnd().hasPrefix("HTTP/1.1 200")
        }
    }

    @Test("Too frequent connections from one address are refused, and those from other addresses are not")
    func connectionRate() async throws {
        try await besideCall({ $0.connectionsPerMinute = 5 }) { server in
            var results: [Bool] = []
            for _ in 0..<8 { results.append(try await isServed(server, from: Self.offender)) }
            // On a slow host, the rate limit may permit one more connection in the meantime.
            #expect(results.prefix(5).allSatisfy { $0 })
            #expect(results.suffix(3).contains(false))
            #expect(try await server.counts.front.connectionsRefused[.tooFastOfAddress] > 0)
            #expect(try await isServed(server, from: "127.0.0.8"))
        }
    }

    @Test("Too many connections from one address are refused, and those from other addresses are not")
    func openConnections() async throws {
        try await besideCall({ $0.connectionsPerAddress = 2 }) { server in
            try await TestConnection.with(port: server.port, from: Self.offender) { _ in
                try await TestConnection.with(port: server.port, from: Self.offender) { _ in
                    let served = try await (
                        isServed(server, from: Self.offender), isServed(server, from: "127.0.0.8")
                    )
                    #expect(served == (false, true))
                }
            }
            #expect(try await server.counts.front.connectionsRefused[.tooManyOfAddress] == 1)
            while try await !isServed(server, from: Self.offender) {}
        }
    }

    @Test("Connections from an address with too many messages are closed, and those from others are not")
    func messageRate() async throws {
        try await besideCall({ $0.messagesPerSecond = 20 }) { server in
            let query = "roomId=2&username=Eve&isCaller=true"
            try await TestPeer.with(server, query: query, from: Self.offender) { eve in
                _ = try await eve.connect()
                for _ in 0..<10_000 {
                    // The connection is closed while the test sends.
                    guard (try? await eve.send(.event("flood"))) != nil else { break }
                }
                while try await eve.next() != nil {}
            }
            #expect(try await server.counts.front.rateLimited[.messages] == 1)
        }
    }

    @Test("Connections above the total limit are refused")
    func connectionLimit() async throws {
        try await besideCall({
            $0.maximumConnections = 3
            $0.connectionsPerAddress = .max
        }) { server in
            try await TestConnection.with(port: server.port) { _ in
                while try await isServed(server, from: Self.offender) {}
            }
            #expect(try await server.counts.front.connectionsRefused[.tooMany] > 0)
        }
    }

    @Test("Refused joins are counted by reason, and the room's members do not notice them")
    func refusedJoins() async throws {
        try await besideCall({ _ in }) { server in
            for query in ["roomId=1&username=Eve&isCaller=true", "roomId=x&username=Eve&isCaller=true"] {
                for _ in 0..<10 {
                    let reply = try await TestPeer.with(server, query: query) { try await $0.connect() }
                    #expect(reply?.type == .connectError)
                }
            }
            let refused = try await server.counts.joinsRefused
            #expect(refused[.roomFull] == 10)
            #expect(refused[.invalid] == 10)
        }
    }

    @Test("A client that does not read its WebSocket is disconnected, and the call of others continues")
    func slowSocket() async throws {
        try await besideCall({
            $0.maximumQueuedBytes = 100_000
            $0.grace = .zero
        }) { server in
            try await withFlood(server) { flooded in
                // Eve reads nothing. When the buffers of both sockets are full, the server's queue of
                // output for her fills.
                try await TestPeer.with(server, as: "Eve", true, room: 2) { _ in try await flooded() }
            }
        }
    }

    @Test("A client that does not poll is disconnected, and the call of others continues")
    func slowPolling() async throws {
        try await besideCall({
            $0.maximumQueuedBytes = 100_000
            $0.grace = .zero
        }) { server in
            try await withFlood(server) { flooded in
                let target = "/socket.io/?EIO=4&transport=polling"
                let open = "\(target)&roomId=2&username=Eve&isCaller=true"
                let handshake = try await body(server, "GET \(open) HTTP/1.1\r\n")
                guard case .open(let session) = try EnginePacket(text: handshake) else {
                    throw TestFailure(handshake)
                }
                let own = "\(target)&sid=\(session.sid) HTTP/1.1\r\n"
                #expect(try await body(server, "POST \(own)Content-Length: 2\r\n", "40") == "ok")
                try await flooded()
                let late = try await body(server, "GET \(own)")
                #expect(late.contains("Session ID unknown"))
            }
        }
    }

    /// Runs `join` with a closure in which Mal, a member of room 2, floods the room with events.
    ///
    /// `join` must add a client to the room. The closure checks that this client is disconnected and leaves.
    private func withFlood(
        _ server: ListeningServer,
        _ join: (_ flooded: () async throws -> Void) async throws -> Void
    ) async throws {
        let query = "roomId=2&username=Mal&isCaller=false"
        try await TestPeer.with(server, query: query, from: Self.offender) { peer in
            _ = try await peer.connect()
            try await peer.skip(to: "room_state")
            try await join {
                #expect(try await peer.next()?.eventName == "room_user_joined")
                let bytes = JSON.binary([UInt8](repeating: 0, count: 500_000))
                for _ in 0..<40 { try await peer.send(.event("flood", [bytes])) }
                #expect(try await peer.next()?.eventName == "room_user_left")
                #expect(try await server.counts.front.slowConsumersClosed[.queueFull] == 1)
            }
        }
    }

    /// Sends a request and returns the body of the response.
    private func body(_ server: ListeningServer, _ head: String, _ body: String = "") async throws -> String {
        try await TestConnection.with(port: server.port, from: Self.offender) { connection in
            try await connection.send("\(head)Host: localhost\r\nConnection: close\r\n\r\n\(body)")
            let reply = try await connection.readToEnd()
            return BenchReply(reply)?.body ?? ""
        }
    }
}
