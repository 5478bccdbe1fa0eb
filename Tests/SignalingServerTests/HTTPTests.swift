import HTTPFront
import SignalingServer
import Testing

@Suite("HTTP", .timeLimit(.minutes(4)))
struct HTTPTests {
    private static let upgrade = [
        "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    private static let websocket = "/socket.io/?EIO=4&transport=websocket"

    private func response(
        _ server: ListeningServer,
        _ request: String,
        _ headers: [String] = []
    ) async throws -> String {
        try await TestConnection.with(port: server.port) { connection in
            let closing = headers.contains { $0.hasPrefix("Connection:") } ? [] : ["Connection: close"]
            let lines = ["\(request) HTTP/1.1", "Host: localhost"] + closing + headers
            try await connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
            return try await connection.readToEnd()
        }
    }

    @Test(
        "HTTP requests that open no session are answered with the expected status and body",
        arguments: [
            ("GET /", "200 OK", "Socket.IO"), ("HEAD /", "200 OK", ""),
            ("GET /healthz", "200 OK", #""status":"ok""#),
            ("GET /other", "404 Not Found", "not found"), ("GET /socket.io/other", "404 Not Found", ""),
            ("POST /healthz", "405 Method Not Allowed", ""),
            ("GET /socket.io/?EIO=4", "400 Bad Request", #"{"code":0,"message":"Transport unknown"}"#),
            ("GET /socket.io/?EIO=4&transport=smoke", "400 Bad Request", #""code":0"#),
            (
                "GET /socket.io/?EIO=4&transport=websocket&sid=x", "400 Bad Request",
                #"{"code":1,"message":"Session ID unknown"}"#
            ),
            ("POST \(websocket)", "400 Bad Request", #"{"code":2,"message":"Bad handshake method"}"#),
            ("GET \(websocket)", "400 Bad Request", #"{"code":3,"message":"Bad request"}"#),
            ("nonsense", "400 Bad Request", ""),
        ]
    )
    func answers(request: String, status: String, body: String) async throws {
        try await withServer { server in
            let response = try await response(server, request)
            #expect(response.hasPrefix("HTTP/1.1 \(status)"))
            #expect(body.isEmpty || response.contains(body))
        }
    }

    @Test(
        "A refused WebSocket upgrade is answered with the reason as text",
        arguments: [
            ("/socket.io/?EIO=3&transport=websocket", "Unsupported protocol version"),
            ("/socket.io/?transport=websocket", "Unsupported protocol version"),
            ("/socket.io/?EIO=4&transport=websocket&sid=x", "Session ID unknown"),
            ("/socket.io/?EIO=4&transport=polling", "Transport unknown"),
        ]
    )
    func refusedUpgrades(target: String, message: String) async throws {
        try await withServer { server in
            let response = try await response(server, "GET \(target)", Self.upgrade)
            #expect(response.hasPrefix("HTTP/1.1 400"))
            #expect(response.contains("Content-Type: text/plain; charset=utf-8\r\n"))
            #expect(response.contains("X-Content-Type-Options: nosniff\r\n"))
            #expect(response.hasSuffix(message))
        }
    }

    @Test("With `--origin *`, pages of any origin may read the responses, which are not cached")
    func anyOrigin() async throws {
        try await withServer({ $0.origin = .any }) { server in
            for target in ["/", "/healthz", "/other", "/socket.io/"] {
                let response = try await response(server, "GET \(target)", ["Origin: http://a"])
                #expect(response.contains("Access-Control-Allow-Origin: *\r\n"))
                #expect(response.contains("Cache-Control: no-store\r\n"))
            }
        }
    }

    @Test("A server that listens on a loopback address or name checks the Host header")
    func loopbackName() async throws {
        // The resolved address decides, because a host name may or may not resolve to loopback.
        for (host, isRefused) in [("127.0.0.2", true), ("localhost", true), ("0.0.0.0", false)] {
            try await withServer({ $0.host = host }) { server in
                let answer = try await TestConnection.with(port: server.port, to: host) { connection in
                    try await connection.send(
                        "GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
                    )
                    return try await connection.readToEnd()
                }
                #expect(answer.hasPrefix("HTTP/1.1 \(isRefused ? 403 : 200) "), "\(host): \(answer)")
            }
        }
    }

    @Test(
        "Pages of listed origins and clients without an origin may connect; pages of other origins are refused"
    )
    func listedOrigins() async throws {
        try await withServer({ $0.origin = try OriginPolicy("http://a, http://b") }) { server in
            let refused = try await response(
                server,
                "GET \(Self.websocket)",
                Self.upgrade + ["Origin: http://c"]
            )
            #expect(refused.hasPrefix("HTTP/1.1 403"))
            #expect(!refused.contains("Access-Control-Allow-Origin"))
            try await TestSocket.with(server, headers: ["Origin: http://b"]) { _ in }
            try await TestSocket.with(server) { _ in }
            let page = try await response(server, "GET /", ["Origin: http://a"])
            #expect(page.contains("Access-Control-Allow-Origin: http://a\r\n"))
            #expect(page.contains("Vary: Origin\r\n"))
        }
    }

    @Test(
        "A malformed request does not stop the server",
        arguments: [
            "\0\0\0\0\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
            "GET \(websocket) HTTP/1.1\r\nUpgrade: websocket\r\n\r\n",
            "GET \(websocket) HTTP/1.0\r\n\(upgrade.joined(separator: "\r\n"))\r\n\r\nrest",
            "GET \(websocket) HTTP/1.1\r\n\(upgrade.joined(separator: "\r\n"))\r\nContent-Length: 3\r\n\r\nabcdef",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\nGET \(websocket) HTTP/1.1\r\n\r\n",
            "GET /\(String(repeating: "x", count: 200_000)) HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\n\(String(repeating: "a: b\r\n", count: 20_000))\r\n",
        ]
    )
    func hostileRequests(text: String) async throws {
        try await withServer { server in
            try await TestConnection.with(port: server.port) { connection in
                // The server may close the connection while the test still writes.
                try? await connection.send(text)
                try? await connection.cut()
            }
            try await TestPeer.with(server, as: "Ann", true) { _ in }
        }
    }

    @Test("A CORS preflight request is granted the headers that it requests")
    func preflight() async throws {
        try await withServer { server in
            let response = try await response(
                server,
                "OPTIONS /socket.io/?EIO=4",
                ["Access-Control-Request-Headers: x-a, x-b"]
            )
            #expect(response.hasPrefix("HTTP/1.1 204"))
            #expect(response.contains("Access-Control-Allow-Headers: x-a, x-b\r\n"))
            #expect(response.contains("Access-Control-Allow-Methods: GET,HEAD,PUT,PATCH,POST,DELETE\r\n"))
        }
    }

    @Test("A connection without a complete request times out", arguments: ["", "GET / HTTP/1.1\r\n"])
    func requestTimeout(start: String) async throws {
        try await withServer({ $0.requestTimeout = .milliseconds(100) }) { server in
            try await TestConnection.with(port: server.port) { connection in
                // On a slow host, the server may close the connection before this is sent. It then ends with
                // a reset.
                if !start.isEmpty { try? await connection.send(start) }
                _ = try? await connection.readToEnd()
            }
        }
    }
}
