import Foundation
import FrontTesting
import HTTPFront
import NIOCore
import SocketIO
import Testing

@testable import SignalingServer

@Suite("WebSockets and limits of services", .timeLimit(.minutes(4)))
struct ServiceSocketTests {
    private func withBox(
        _ limit: (inout ServiceLimits) -> Void = { _ in },
        _ body: (ListeningServer) async throws -> Void
    ) async throws {
        var box = BoxService(folder: "/nonexistent")
        limit(&box.limits)
        try await withServer({ $0.limitsLoopback = true }, services: [box, DescriptionService()], body)
    }

    /// The beginning of a request for a WebSocket.
    private static let upgrade = """
        GET /box/socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n
        """

    private func status(_ server: ListeningServer, _ request: String) async throws -> Substring {
        try await TestConnection.with(port: server.port) { connection in
            try await connection.send("\(request) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return try await connection.readHead().prefix { $0 != "\r\n" }
        }
    }

    private func withSocket(_ server: ListeningServer, _ body: (TestSocket) async throws -> Void) async throws
    {
        try await TestSocket.with(
            server,
            target: "/box/socket",
            headers: ["Authorization: Bearer friend"]
        ) { socket in
            try await socket.expect(.text("welcome"))
            try await body(socket)
        }
    }

    @Test("A service refuses a WebSocket before the upgrade, with its own response")
    func refusal() async throws {
        try await withBox { server in
            let head = try await TestConnection.with(port: server.port) { connection in
                try await connection.send(Self.upgrade + "\r\n")
                return try await connection.readToEnd()
            }
            #expect(head.hasPrefix("HTTP/1.1 401 "))
            #expect(head.contains("WWW-Authenticate: Bearer\r\n"))
            #expect(try await server.counts.services.first?.socketsOpened == 0)
        }
    }

    @Test("A WebSocket and its service exchange messages, including those sent with the upgrade request")
    func exchange() async throws {
        try await withBox { server in
            try await withSocket(server) { socket in
                try await socket.send("hello")
                try await socket.expect(.text("hello"))
                try await socket.send([1, 2])
                try await socket.expect(.binary([1, 2]))
                try await socket.sendFrame(0x89, [7])
                try await socket.expect(.pong([7]))
                let counts = try #require(try await server.counts.services.first)
                #expect(counts.sockets == 1 && counts.messages == 2)
                try await socket.sendFrame(0x88, [3, 232])
                try await socket.expect(.close(1000))
            }
            while try await server.counts.services.first?.sockets != 0 { await Task.yield() }
            try await TestConnection.with(port: server.port) { connection in
                let request = Self.upgrade + "Authorization: Bearer friend\r\n\r\n"
                try await connection.send(Array(request.utf8) + ClientFrame.text("early"))
                #expect(try await connection.readHead().hasPrefix("HTTP/1.1 101 "))
                let frames = [UInt8(0x81), 7] + Array("welcome".utf8) + [0x81, 5] + Array("early".utf8)
                #expect(try await connection.read(frames.count) == frames)
            }
        }
    }

    @Test("A WebSocket is closed with 1009 after an overlong message, and with 1008 after too many messages")
    func floods() async throws {
        try await withBox({ ($0.messagesPerSecond, $0.maximumMessage) = (1, 100) }) { server in
            try await withSocket(server) { socket in
                try await socket.send([UInt8](repeating: 0, count: 101))
                try await socket.expectClose(1009)
            }
            try await withSocket(server) { socket in
                // The burst is five messages.
                for _ in 0..<6 { try await socket.send("x") }
                try await socket.expectClose(1008)
            }
        }
    }

    @Test("A WebSocket that does not answer a ping in time is closed")
    func silence() async throws {
        let brief = Duration.milliseconds(50)
        try await withBox({ ($0.pingInterval, $0.pingTimeout) = (brief, brief) }) { server in
            try await withSocket(server) { socket in
                #expect(try await socket.connection.read(6) == [0x89, 4] + Array("ping".utf8))
                try await socket.expectClose(1001)
            }
        }
    }

    @Test("The limits of a service do not affect other services or calls")
    func limits() async throws {
        try await withBox({ ($0.requestsPerMinute, $0.sockets) = (3, 1) }) { server in
            for _ in 0..<3 { #expect(try await status(server, "GET /box/count/1").contains(" 200 ")) }
            #expect(try await status(server, "GET /box/count/1").contains(" 429 "))
            #expect(try await status(server, "GET /healthz").contains(" 200 "))
            try await TestPeer.with(server, as: "Ann", true) { ann in
                try await TestPeer.with(server, as: "Bob", false) { bob in try await ann.isHeard(by: bob) }
            }
            #expect(try await server.counts.services.first?.refused[.tooFastOfAddress] == 1)
        }
    }

    @Test("A WebSocket above the limit of its service is refused before the upgrade")
    func tooManySockets() async throws {
        try await withBox({ $0.sockets = 1 }) { server in
            try await withSocket(server) { _ in
                let head = try await TestConnection.with(port: server.port) { connection in
                    try await connection.send(Self.upgrade + "Authorization: Bearer friend\r\n\r\n")
                    return try await connection.readHead()
                }
                #expect(head.hasPrefix("HTTP/1.1 503 "))
            }
            #expect(try await server.counts.services.first?.refused[.tooMany] == 1)
        }
    }

    @Test("Draining one service closes its WebSockets and answers 503, while calls continue")
    func drain() async throws {
        try await withBox { server in
            try await TestPeer.with(server, as: "Ann", true) { ann in
                try await withSocket(server) { socket in
                    let front = server.signaling
                    try await front.eventLoop.flatSubmit {
                        front.value.front.drain("box", within: .seconds(30))
                    }.get()
                    try await socket.expectClose(1001)
                    #expect(try await status(server, "GET /box/count/1").contains(" 503 "))
                    #expect(try await status(server, "GET /healthz").contains(" 200 "))
                }
                try await TestPeer.with(server, as: "Bob", false) { bob in try await ann.isHeard(by: bob) }
            }
        }
    }
}
