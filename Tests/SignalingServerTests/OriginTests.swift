import NIOHTTP1
import Testing

@testable import HTTPFront
@testable import SignalingServer

@Suite("Web origins")
struct OriginTests {
    private func withOrigins(_ body: (EngineBench) throws -> Void) throws {
        try EngineBench.with({ $0.origin = try OriginPolicy("http://a, http://b") }, body)
    }

    private static let targets = [
        ("GET", "/engine.io/?EIO=4&transport=polling"), ("GET", "/socket.io/?EIO=4&transport=polling"),
        ("GET", "/"), ("GET", "/healthz"), ("GET", "/metrics"), ("OPTIONS", "/socket.io/"),
    ]

    @Test("A request from a page of an unlisted origin is refused for every target", arguments: targets)
    func foreign(method: String, target: String) throws {
        try withOrigins { bench in
            let origins = [
                "http://c", "http://a.c", "https://a", "http://a:81", "null", "", "*", "http://a, http://b",
            ]
            for origin in origins {
                let reply = try bench.answer(method, target, ["Origin: \(origin)"])
                #expect(reply.status == 403)
                #expect(reply.headers["access-control-allow-origin"] == nil)
                #expect(reply.headers["vary"] == "Origin")
                #expect(reply.body.hasPrefix(#"{"code":4,"message":"pages of this origin may not connect"#))
            }
            #expect(bench.engine.sessions.isEmpty)
            #expect(bench.engine.counts.front.connectionsRefused[.foreignOrigin] == origins.count)
        }
    }

    @Test(
        "A page of a listed origin may open a session, and so may a client without an origin",
        arguments: ["http://a", "http://b", nil]
    )
    func listed(origin: String?) throws {
        try withOrigins { bench in
            let headers = origin.map { ["Origin: \($0)"] } ?? []
            let reply = try bench.answer("GET", "/engine.io/?EIO=4&transport=polling", headers)
            #expect(reply.status == 200)
            #expect(reply.headers["access-control-allow-origin"] == origin)
            #expect(reply.headers["vary"] == "Origin")
        }
    }

    @Test(
        "By default, pages whose origin matches the Host header, ignoring scheme and case, may connect",
        arguments: [
            ("http://localhost:3000", "localhost:3000"), ("ws://localhost:3000", "localhost:3000"),
            ("https://localhost:3000", "localhost:3000"), ("wss://LOCALHOST:3000", "LocalHost:3000"),
            ("http://localhost", "localhost"), ("http://localhost:80", "localhost"),
            ("http://localhost", "localhost:80"), ("https://localhost", "localhost:443"),
            ("wss://localhost:443", "localhost"), ("http://127.0.0.1:3000", "127.0.0.1:3000"),
            ("http://[::1]:3000", "[0:0:0:0:0:0:0:1]:3000"), ("http://localhost.:3000", "localhost.:3000"),
            ("http://app.localhost:3000", "app.localhost:3000"),
        ]
    )
    func own(origin: String, host: String) throws {
        try EngineBench.with { bench in
            for target in ["/socket.io/?EIO=4&transport=polling", "/engine.io/?EIO=4&transport=polling"] {
                let reply = try bench.answer("GET", target, ["Origin: \(origin)"], host: host)
                #expect(reply.status == 200)
                // A page of the same origin needs no CORS header, and a page with the other scheme gets none.
                #expect(reply.headers["access-control-allow-origin"] == nil)
            }
        }
    }

    @Test(
        "By default, pages of other origins may not connect",
        arguments: [
            ("http://localhost:5173", "localhost:3000"), ("http://127.0.0.1:3000", "localhost:3000"),
            ("http://localhost", "localhost:3000"), ("https://localhost", "localhost:80"),
            ("http://localhost:443", "localhost"), ("https://localhost:80", "localhost:443"),
            ("http://localhost.evil.example:3000", "localhost:3000"), ("null", "localhost:3000"),
            ("http://u@localhost:3000", "localhost:3000"), ("http://localhost:3000/", "localhost:3000"),
            ("file://", "localhost"), ("capacitor://localhost", "localhost"),
            ("localhost:3000", "localhost:3000"),
            ("http://localhost:3000 http://evil.example", "localhost:3000"), ("", "localhost"),
        ]
    )
    func otherThanOwn(origin: String, host: String) throws {
        try EngineBench.with { bench in
            for target in ["/socket.io/?EIO=4&transport=polling", "/healthz", "/"] {
                let reply = try bench.answer("GET", target, ["Origin: \(origin)"], host: host)
                #expect(reply.status == 403)
            }
            #expect(bench.engine.sessions.isEmpty)
        }
    }

    @Test("A WebSocket from another origin is refused with the reason")
    func webSocket() throws {
        let upgrade = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        try EngineBench.with { bench in
            let target = "/socket.io/?EIO=4&transport=websocket"
            for (origin, status) in [("http://localhost:5173", 403), ("ws://localhost:3000", 101)] {
                let line = try bench.request(
                    "GET",
                    target,
                    upgrade + ["Origin: \(origin)"],
                    host: "localhost:3000"
                )
                let reply = try #require(try line.reply())
                #expect(reply.status == status)
                #expect(reply.body.contains("--origin") == (status == 403))
            }
        }
    }

    @Test("A request with two Origin headers is refused even if both origins are listed")
    func twoOrigins() throws {
        try withOrigins { bench in
            let reply = try bench.answer("GET", "/healthz", ["Origin: http://a", "Origin: http://b"])
            #expect(reply.status == 403)
            #expect(reply.headers["access-control-allow-origin"] == nil)
        }
    }

    @Test("A browser's request without an Origin is refused unless Sec-Fetch-Site is same-origin or none")
    func fetchMetadata() throws {
        try EngineBench.with { bench in
            for (site, mode, status) in [
                ("cross-site", "no-cors", 403), ("same-site", "no-cors", 403),
                ("same-origin", "no-cors", 200), ("none", "navigate", 200),
                ("none, cross-site", "no-cors", 403), ("none\r\nSec-Fetch-Site: cross-site", "no-cors", 403),
                ("unknown", "no-cors", 403),
            ] {
                let headers = ["Sec-Fetch-Site: \(site)", "Sec-Fetch-Mode: \(mode)"]
                let reply = try bench.answer("GET", "/engine.io/?EIO=4&transport=polling", headers)
                #expect(reply.status == status, "\(headers)")
            }
        }
    }

    @Test("A page of another site may navigate to documents, but not open a session by navigation")
    func navigation() throws {
        try EngineBench.with { bench in
            for site in ["cross-site", "same-site"] {
                let headers = ["Sec-Fetch-Site: \(site)", "Sec-Fetch-Mode: navigate"]
                // The bench serves no documents, so a request that is not refused gets no response.
                #expect(try bench.request("GET", "/healthz", headers).reply() == nil)
                for path in ["/socket.io/", "/socket.io", "/engine.io/"] {
                    let reply = try bench.answer("GET", "\(path)?EIO=4&transport=polling", headers)
                    #expect(reply.status == 403, "\(path) \(site)")
                }
            }
            #expect(bench.engine.sessions.isEmpty)
        }
    }

    @Test(
        "A prefetch, which a page of another site may have caused, opens no session",
        arguments: ["prefetch", "prefetch;prerender", "prefetch;anonymous-client-ip"]
    )
    func prefetching(purpose: String) throws {
        try EngineBench.with { bench in
            let headers = ["Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate", "Sec-Purpose: \(purpose)"]
            let reply = try bench.answer("GET", "/socket.io/?EIO=4&transport=polling", headers)
            #expect(reply.status == 403 && bench.engine.sessions.isEmpty)
            // The user may follow a link to a document that was prefetched.
            #expect(try bench.request("GET", "/healthz", headers).reply() == nil)
        }
    }

    @Test("Origins are compared regardless of case, white space and default port")
    func spelling() throws {
        for list in [" https://A.example ,\thttp://b:8080 ", "http://b:8080,HTTPS://a.EXAMPLE:443"] {
            try EngineBench.with({ $0.origin = try OriginPolicy(list) }) { bench in
                for origin in ["https://a.example", "wss://a.example", "http://b:8080"] {
                    let reply = try bench.answer("GET", "/socket.io/", ["Origin: \(origin)"])
                    #expect(reply.status != 403)
                }
                let other = try bench.answer("GET", "/socket.io/", ["Origin: http://b"]).status
                #expect(other == 403)
            }
        }
    }

    @Test("A page of a listed origin with a scheme other than http and https may connect")
    func otherSchemes() throws {
        try EngineBench.with({ $0.origin = try OriginPolicy("capacitor://localhost, app://x.y") }) { bench in
            for (origin, status) in [
                ("capacitor://localhost", 200), ("app://x.y", 200), ("ionic://localhost", 403),
            ] {
                let reply = try bench.answer(
                    "GET",
                    "/engine.io/?EIO=4&transport=polling",
                    ["Origin: \(origin)"]
                )
                #expect(reply.status == status)
            }
        }
    }

    @Test(
        "A configured origin that no page can have is rejected",
        arguments: [
            "", "a", "https://", "://a", "https://a/", "https://a/b", "https://a,", "https://a b",
            "https://*.a",
            "https://u@a", "https://a?b", "https://é", "https://a:b", "https://a:65536", "null",
        ]
    )
    func noOrigins(list: String) throws {
        #expect(throws: OriginError.self) { try OriginPolicy(list) }
    }

    @Test("A page of another origin may not use an existing session")
    func foreignUse() throws {
        try withOrigins { bench in
            let polling = try BenchPolling(bench)
            let status = try polling.post("4a", ["Origin: http://c"]).status
            #expect(status == 403)
            try polling.expectAlive()
        }
    }

    @Test("A CORS preflight request is granted all methods and the requested headers")
    func preflight() throws {
        try EngineBench.with({ $0.origin = .any }) { bench in
            let reply = try bench.answer(
                "OPTIONS",
                "/engine.io/?EIO=4&transport=polling&sid=x",
                ["Origin: http://a", "Access-Control-Request-Headers: x-a, x-b"]
            )
            #expect(reply.status == 204)
            #expect(reply.headers["access-control-allow-origin"] == "*")
            #expect(reply.headers["access-control-allow-methods"] == "GET,HEAD,PUT,PATCH,POST,DELETE")
            #expect(reply.headers["access-control-allow-headers"] == "x-a, x-b")
            #expect(reply.headers["vary"] == "Access-Control-Request-Headers")
            #expect(reply.headers["content-length"] == "0")
        }
    }

    @Test("If all origins are allowed, pages may read every response of a session")
    func anyOrigin() throws {
        try EngineBench.with({ $0.origin = .any }) { bench in
            let polling = try BenchPolling(bench)
            let post = try polling.post("4a", ["Origin: http://a"])
            #expect(post.headers["access-control-allow-origin"] == "*")
            let poll = try polling.get().reply()
            #expect(poll?.headers["access-control-allow-origin"] == "*")
        }
    }

    @Test(
        "Pages of permitted origins may not read metrics, but may read everything else",
        arguments: ["*", "http://a"],
        [
            "/metrics", "/metrics/", "//metrics", "/metrics?x=/socket.io/", "/%6Detrics", "/metrics#x",
            "http://localhost/metrics",
        ]
    )
    func metrics(list: String, target: String) throws {
        let configuration = { (configuration: inout ServerConfiguration) in
            configuration.origin = try OriginPolicy(list)
        }
        try EngineBench.with(configuration) { bench in
            let policy = bench.engine.front.access
            func shared(_ target: String) -> Bool {
                let head = HTTPRequestHead(
                    version: .http1_1,
                    method: .GET,
                    uri: target,
                    headers: ["Origin": "http://a"]
                )
                return policy.headers(for: head).contains(name: "access-control-allow-origin")
            }
            #expect(!shared(target))
            #expect(shared("/healthz") && shared("/socket.io/?x=/metrics"))
            let preflight = try bench.answer("OPTIONS", target, ["Origin: http://a"])
            #expect(preflight.status == 405)
            #expect(!preflight.headers.keys.contains { $0.hasPrefix("access-control") })
        }
    }
}
