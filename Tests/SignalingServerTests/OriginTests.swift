import Testing

@testable import SignalingServer

@Suite("Origins")
struct OriginTests {
    private func withOrigins(_ body: (EngineBench) throws -> Void) throws {
        try EngineBench.with({ $0.origin = try OriginPolicy("http://a, http://b") }, body)
    }

    private static let targets = [
        ("GET", "/engine.io/?EIO=4&transport=polling"), ("GET", "/socket.io/?EIO=4&transport=polling"),
        ("GET", "/"), ("GET", "/healthz"), ("GET", "/metrics"), ("OPTIONS", "/socket.io/"),
    ]

    @Test("A page of an origin that is not listed is refused whatever it asks for", arguments: targets)
    func foreign(method: String, target: String) throws {
        try withOrigins { bench in
            for origin in ["http://c", "http://a.c", "https://a", "null", ""] {
                let reply = try bench.answer(method, target, ["Origin: \(origin)"])
                #expect(reply.status == 403)
                #expect(reply.headers["access-control-allow-origin"] == nil)
                #expect(reply.headers["vary"] == "Origin")
                #expect(reply.body == #"{"code":4,"message":"Forbidden"}"#)
            }
            #expect(bench.engine.sessions.isEmpty)
        }
    }

    @Test(
        "A listed origin may open a session, and so may who names none",
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

    @Test("Origins are listed as people write them, and compared as browsers do")
    func spelling() throws {
        for list in [" https://A.example ,\thttp://b:8080 ", "http://b:8080,HTTPS://a.EXAMPLE"] {
            try EngineBench.with({ $0.origin = try OriginPolicy(list) }) { bench in
                for origin in ["https://a.example", "http://b:8080"] {
                    #expect(try bench.answer("GET", "/socket.io/", ["Origin: \(origin)"]).status != 403)
                }
                let other = try bench.answer("GET", "/socket.io/", ["Origin: http://b"]).status
                #expect(other == 403)
            }
        }
    }

    @Test(
        "What would never match an origin is refused",
        arguments: [
            "", "a", "https://", "://a", "https://a/", "https://a/b", "https://a,", "https://a b",
            "https://*.a",
            "https://u@a", "https://a?b", "https://é",
        ]
    )
    func noOrigins(list: String) throws {
        #expect(throws: OriginError.self) { try OriginPolicy(list) }
    }

    @Test("A session may not be used from a page of another origin")
    func foreignUse() throws {
        try withOrigins { bench in
            let polling = try BenchPolling(bench)
            let status = try polling.post("4a", ["Origin: http://c"]).status
            #expect(status == 403)
            try polling.expectAlive()
        }
    }

    @Test("A preflight is allowed all methods and the headers that it asks for, without a body")
    func preflight() throws {
        try EngineBench.with { bench in
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

    @Test("Every answer of a session may be read by pages of any origin")
    func anyOrigin() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench)
            let post = try polling.post("4a", ["Origin: http://a"])
            #expect(post.headers["access-control-allow-origin"] == "*")
            let poll = try polling.get().reply()
            #expect(poll?.headers["access-control-allow-origin"] == "*")
        }
    }
}
