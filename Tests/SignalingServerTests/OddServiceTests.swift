import Foundation
import HTTPFront
import NIOCore
import Testing

@testable import SignalingServer

@Suite("Services that misbehave", .timeLimit(.minutes(4)))
struct OddServiceTests {
    private static let upgrade = """
        Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n
        """
    private static let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

    private func withOdd(
        _ limit: (inout ServiceLimits) -> Void = { _ in },
        _ body: (ListeningServer, AsyncStream<String>) async throws -> Void
    ) async throws {
        let (cancelled, continuation) = AsyncStream.makeStream(of: String.self)
        var odd = OddService(cancelled: continuation)
        limit(&odd.limits)
        try await withServer(services: [odd, DescriptionService()]) { try await body($0, cancelled) }
    }

    private func answer(_ server: ListeningServer, _ request: String) async throws -> String {
        try await TestConnection.with(port: server.port) { connection in
            try await connection.send(request)
            return try await connection.readToEnd()
        }
    }

    private func running(_ server: ListeningServer) async throws -> Int? {
        try await server.counts.services.first?.running
    }

    @Test("If a service reads a body twice, the request is answered with 500")
    func readTwice() async throws {
        try await withOdd { server, _ in
            let head = "PUT /odd/twice HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            let reply = try await answer(server, head + "Content-Length: 2\r\n\r\nab")
            #expect(reply.hasPrefix("HTTP/1.1 500 "))
        }
    }

    @Test("No 100 Continue is sent after the response has begun")
    func lateContinue() async throws {
        try await withOdd { server, _ in
            try await TestConnection.with(port: server.port) { connection in
                try await connection.send(
                    "PUT /odd/early HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
                )
                #expect(try await connection.readHead().hasPrefix("HTTP/1.1 200 "))
                #expect(try await connection.read(10) == Array("5\r\nfirst\r\n".utf8))
                try await connection.send("ab")
                #expect(try await connection.readToEnd() == "2\r\nab\r\n0\r\n\r\n")
            }
        }
    }

    @Test("A response with status 204 is sent without a body, and its connection stays open")
    func noContent() async throws {
        try await withOdd { server, _ in
            try await TestConnection.with(port: server.port) { connection in
                for _ in 0..<2 {
                    try await connection.send("GET /odd/none HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    let head = try await connection.readHead()
                    #expect(head.hasPrefix("HTTP/1.1 204 "))
                    #expect(!head.contains("Content-Length") && !head.contains("Transfer-Encoding"))
                }
            }
        }
    }

    @Test("If a service does not finish a response, the connection is closed and the request counts as ended")
    func unfinished() async throws {
        try await withOdd { server, _ in
            let reply = try await answer(server, "GET /odd/unfinished HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(reply.hasSuffix("4\r\npart\r\n"))
            while try await running(server) != 0 { await Task.yield() }
        }
    }

    @Test("A response that is not read within the service's time limit is aborted")
    func limitedAnswer() async throws {
        try await withOdd { server, _ in
            try await TestConnection.with(port: server.port) { connection in
                try await connection.send("GET /odd/limited HTTP/1.1\r\nHost: localhost\r\n\r\n")
                while try await server.counts.services.first?.requests[.aborted] != 1 { await Task.yield() }
            }
            let counts = try await server.counts
            #expect(counts.services.first?.running == 0)
            #expect(counts.front.slowConsumersClosed[.stalled] == 0)
        }
    }

    @Test("When a client disconnects, the task of its request is cancelled, and the request ends")
    func goneClient() async throws {
        try await withOdd { server, cancelled in
            try await TestConnection.with(port: server.port) { connection in
                try await connection.send("GET /odd/never HTTP/1.1\r\nHost: localhost\r\n\r\n")
                while try await running(server) != 1 { await Task.yield() }
            }
            #expect(await cancelled.first { _ in true } == "never")
            while try await running(server) != 0 { await Task.yield() }
        }
    }

    @Test("A server stops even if a service has a task that ends only when it is cancelled")
    func stopping() async throws {
        let (cancelled, continuation) = AsyncStream.makeStream(of: String.self)
        try await withServer(services: [OddService(cancelled: continuation)]) { server in
            try await TestConnection.with(port: server.port) { connection in
                try await connection.send("GET /odd/never HTTP/1.1\r\nHost: localhost\r\n\r\n")
                while try await running(server) != 1 { await Task.yield() }
            }
        }
        #expect(await cancelled.first { _ in true } == "never")
    }

    @Test("A WebSocket upgrade completes even if the service sends nothing")
    func silentSocket() async throws {
        try await withOdd { server, _ in
            try await TestConnection.with(port: server.port) { connection in
                try await connection.send("GET /odd/x HTTP/1.1\r\n" + Self.upgrade + Self.key + "\r\n")
                #expect(try await connection.readHead().hasPrefix("HTTP/1.1 101 "))
            }
        }
    }

    @Test("A WebSocket that its service neither accepts nor refuses in time is refused with 503")
    func undecidedSocket() async throws {
        try await withOdd({ $0.decisionTimeout = .milliseconds(50) }) { server, cancelled in
            let request = "GET /odd/undecided HTTP/1.1\r\n" + Self.upgrade + Self.key + "\r\n"
            let reply = try await answer(server, request)
            #expect(reply.hasPrefix("HTTP/1.1 503 "))
            #expect(await cancelled.first { _ in true } == "undecided")
        }
    }

    @Test(
        "A WebSocket handshake without Sec-WebSocket-Key is refused, and leaves nothing behind",
        arguments: ["/odd/x", "/socket.io/?EIO=4&transport=websocket"]
    )
    func invalidHandshake(target: String) async throws {
        try await withOdd { server, _ in
            let request = "GET \(target) HTTP/1.1\r\n" + Self.upgrade + "\r\n"
            let reply = try await answer(server, request)
            #expect(reply.hasPrefix("HTTP/1.1 400 "))
            while try await running(server) != 0 { await Task.yield() }
            let counts = try await server.counts
            #expect(counts.services.first?.sockets == 0)
            #expect(counts.sessions.total == 0)
        }
    }

    @Test("A WebSocket upgrade request for /healthz is answered with 200, without an upgrade")
    func upgradeOfPage() async throws {
        try await withOdd { server, _ in
            let request = "GET /healthz HTTP/1.1\r\n" + Self.upgrade + Self.key + "\r\n"
            let reply = try await answer(server, request)
            #expect(reply.hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test(
        "The connection is closed after the response to CONNECT or to an unsupported upgrade",
        arguments: ["CONNECT localhost:80", "GET /healthz"]
    )
    func noFurtherRequest(request: String) async throws {
        try await withOdd { server, _ in
            let reply = try await answer(
                server,
                "\(request) HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"
            )
            #expect(reply.contains("Connection: close\r\n"))
        }
    }
}
