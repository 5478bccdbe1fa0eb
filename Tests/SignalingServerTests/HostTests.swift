import FrontParsers
import HTTPFront
import Testing

@testable import SignalingServer

@Suite("Host names of requests")
struct HostTests {
    private static let health = "/healthz?"

    private func expect(
        _ status: Int,
        _ bench: EngineBench,
        _ host: String,
        _ headers: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let target = "/engine.io/?EIO=4&transport=polling"
        let found = try bench.answer("GET", target, headers, host: host).status
        #expect(found == status, "\(host) \(headers)", sourceLocation: sourceLocation)
    }

    @Test(
        "The value of a Host header is normalized",
        arguments: [
            ("localhost", "localhost", nil), ("LocalHost:3000", "localhost", 3000),
            ("a.example.", "a.example", nil),
            ("a_b-c.d:", "a_b-c.d", nil), ("127.0.0.1:65535", "127.0.0.1", 65_535), ("[::1]", "[::1]", nil),
            ("[0:0::0001]:80", "[::1]", 80), ("[FE80::1%25eth0]:1", "[fe80::1]", 1), ("a:00080", "a", 80),
        ] as [(String, String, Int?)]
    )
    func spelling(text: String, name: String, port: Int?) throws {
        let host = try #require(RequestHost(text))
        #expect((host.name, host.port) == (name, port))
    }

    @Test(
        "An invalid value of a Host header is rejected",
        arguments: [
            "", ":", ":80", ".", "..", ".a", "a..b", "a..", "u@a", "u:p@a", "a/b", "a b", "a%41", "é",
            "*",
            "a:b", "a:-1", "a:65536", "a:000080", "a:1:2", "::1", "[::1", "[]", "[1]", "[::1]x", "[::1]:x",
            "[v1.a]",
            "a\u{0}", "[::1\u{0}]", "http://a", String(repeating: "a", count: 256),
        ]
    )
    func noHost(text: String) throws {
        #expect(RequestHost(text) == nil)
        #expect(throws: PublicHostError.self) { try PublicHosts("a,\(text)") }
    }

    @Test("A server on loopback accepts only loopback names in the Host header")
    func loopback() throws {
        try EngineBench.with { bench in
            for host in [
                "localhost", "LOCALHOST:3000", "localhost.", "a.b.localhost", "127.0.0.1:3000", "127.255.0.9",
                "[::1]:3000",
            ] {
                try expect(200, bench, host)
            }
            for host in [
                "evil.example", "localhost.evil.example", "notlocalhost", "127.0.0.1.evil.example",
                "127.evil.example",
                "192.168.1.5", "0.0.0.0", "[::]", "[::ffff:127.0.0.1]", "127.1", "2130706433", "[::2]",
            ] {
                // If this host were accepted, its pages would have the server's origin, and could attack by
                // DNS rebinding.
                let reply = try bench.answer("GET", Self.health, ["Origin: http://\(host)"], host: host)
                #expect(reply.status == 403, "\(host)")
                #expect(reply.body.contains("--public-host"))
                #expect(reply.headers["access-control-allow-origin"] == nil)
                try expect(403, bench, host)
            }
            #expect(bench.engine.counts.front.connectionsRefused[.foreignHost] == 24)
        }
    }

    @Test("A server on loopback behind a proxy also accepts its configured public host names")
    func named() throws {
        let hosts = try PublicHosts("Call.example, b.example:8443")
        let origins = try OriginPolicy("https://app.example:9")
        try EngineBench.with({ ($0.publicHosts, $0.origin) = (hosts, origins) }) { bench in
            // If TLS ends at the proxy, the page's origin is https, and neither header contains the port.
            try expect(200, bench, "call.example", ["Origin: https://call.example"])
            for host in ["call.example", "call.example:1", "b.example:8443", "app.example", "localhost:3000"]
            {
                try expect(200, bench, host)
            }
            for host in ["b.example", "b.example:1", "evil.example", "a.call.example", "192.0.2.1"] {
                try expect(403, bench, host)
            }
            try expect(403, bench, "call.example", ["Origin: https://evil.example"])
            try expect(403, bench, "call.example", ["Origin: https://call.example:8443"])
        }
    }

    @Test(
        "A server that other hosts can reach accepts any host name, unless it has public host names"
    )
    func reachable() throws {
        try EngineBench.with({ $0.host = "0.0.0.0" }) { bench in
            for host in ["evil.example", "192.0.2.1:3000"] { try expect(200, bench, host) }
        }
        let hosts = try PublicHosts("call.example")
        try EngineBench.with({ ($0.host, $0.publicHosts) = ("::", hosts) }) { bench in
            for host in ["call.example", "192.0.2.1:3000", "[2001:db8::1]:3000", "localhost"] {
                try expect(200, bench, host)
            }
            try expect(403, bench, "evil.example")
        }
    }

    @Test("A server accepts the host name that it listens on, and any host name if all origins are allowed")
    func others() throws {
        try EngineBench.with({ $0.origin = .any }) { bench in
            try expect(200, bench, "evil.example")
        }
        try EngineBench.with({ $0.host = "here.example" }) { bench in
            bench.engine.front.listens(onLoopback: true)
            try expect(200, bench, "here.example:3000")
            try expect(403, bench, "evil.example")
        }
    }

    @Test(
        "A request target that is an absolute URL must have the host of the Host header",
        arguments: [
            ("http://localhost:3000/healthz", "localhost:3000", 405),
            ("http://evil.example/", "localhost", 400),
            ("http://localhost:3000", "localhost", 400), ("http:///x", "localhost", 400),
            ("x://u@localhost/", "localhost", 400),
            ("/http://evil.example/", "localhost", 405),
        ]
    )
    func absoluteTargets(target: String, host: String, status: Int) throws {
        try EngineBench.with { bench in
            // No route accepts DELETE, so a valid request is answered with 405.
            let reply = try bench.answer("DELETE", target, host: host)
            #expect(reply.status == status)
        }
    }

    @Test(
        "A request with several or invalid Host headers is refused, and so is HTTP/1.1 without a Host header",
        arguments: [
            ("HTTP/1.1\r\n", 400), ("HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n", 400),
            ("HTTP/1.1\r\nHost:\r\n", 400), ("HTTP/1.1\r\nHost: u@localhost\r\n", 400),
            ("HTTP/1.1\r\nHost: a,b\r\n", 400),
            ("HTTP/1.0\r\nHost: localhost\r\nHost: evil.example\r\n", 400),
            ("HTTP/1.0\r\n", 200), ("HTTP/1.0\r\nOrigin: http://localhost\r\n", 403),
            ("HTTP/1.0\r\nHost: evil.example\r\n", 403), ("HTTP/1.1\r\nhost: localhost\r\n", 200),
        ]
    )
    func headers(lines: String, status: Int) throws {
        try EngineBench.with { bench in
            let line = try bench.connect()
            try line.send("GET /engine.io/?EIO=4&transport=polling \(lines)\r\n")
            let found = try line.reply()?.status
            #expect(found == status)
            #expect(bench.engine.sessions.count == (status == 200 ? 1 : 0))
        }
    }
}
