import FrontTesting
import HTTPFront
import Testing

@testable import SignalingServer

@Suite("Sockets with full buffers", .timeLimit(.minutes(4)))
struct FullSocketTests {
    @Test("A close frame ends the connection of a client that reads nothing")
    func closeFrame() async throws {
        try await withServer({
            $0.maximumQueuedBytes = 16 << 20
            $0.maximumQueuedBytesInAll = 16 << 20
            // Without the close frame, nothing else ends the connection.
            $0.readTimeout = .seconds(600)
        }) { server in
            try await TestSocket.with(server, query: "roomId=1&username=Eve&isCaller=true") { socket in
                let ping = ClientFrame.bytes(0x89, [UInt8](repeating: 0, count: 125))
                let pings = Array(repeating: ping, count: 1000).flatMap(\.self)
                // The pongs exceed the buffers of both sockets, but not the limit of queued output.
                for _ in 0..<100 { try await socket.connection.send(pings) }
                try await socket.sendFrame(0x88, [])
                // Sending fails with a reset once the server has closed the socket.
                while (try? await socket.connection.send(ping)) != nil {}
            }
            #expect(try await server.counts.front.rateLimited[.messages] == 0)
        }
    }

    @Test("A response larger than the socket's buffers is sent completely before the connection closes")
    func lastAnswer() async throws {
        try await withServer({ $0.isConformanceServer = true }) { server in
            let text = "4" + String(repeating: "a", count: 900_000)
            let target = "/engine.io/?EIO=4&transport=polling"
            let handshake = try await answer(server, "GET \(target)")
            let sid = try #require(handshake.split(separator: "\"").dropFirst(3).first)
            let posted = try await answer(server, "POST \(target)&sid=\(sid)", body: text)
            #expect(posted.hasSuffix("ok"))
            #expect(try await answer(server, "GET \(target)&sid=\(sid)").hasSuffix(text))
        }
    }

    private func answer(_ server: ListeningServer, _ request: String, body: String = "") async throws
        -> String
    {
        try await TestConnection.with(port: server.port) { connection in
            let head =
                "\(request) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: \(body.utf8.count)"
            try await connection.send("\(head)\r\n\r\n\(body)")
            return try await connection.readToEnd()
        }
    }
}
