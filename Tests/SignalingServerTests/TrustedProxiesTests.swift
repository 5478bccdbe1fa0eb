import NIOCore
import NIOHTTP1
import Testing

@testable import HTTPFront
@testable import SignalingServer

@Suite("Trusted proxies")
struct TrustedProxiesTests {
    private static let handshake = "/engine.io/?EIO=4&transport=polling"

    @Test(
        "The client's address is the last one in X-Forwarded-For that is not a trusted proxy",
        arguments: [
            (["192.0.2.1"], "192.0.2.1"), (["6.6.6.6, 192.0.2.1"], "192.0.2.1"),
            (["6.6.6.6", "192.0.2.1 , 10.0.0.2"], "192.0.2.1"), (["192.0.2.1:4711"], "192.0.2.1"),
            (["[2001:db8::1]:4711"], "2001:db8::1"), (["2001:db8::1"], "2001:db8::1"),
            ([], "10.0.0.1"), (["6.6.6.6, unknown"], "10.0.0.1"), ([""], "10.0.0.1"), ([","], "10.0.0.1"),
            (["6.6.6.6, unknown, 10.0.0.2"], "10.0.0.2"), (["10.0.0.2"], "10.0.0.2"),
        ] as [([String], String)]
    )
    func client(fields: [String], client: String) throws {
        var proxies = TrustedProxies()
        for address in ["10.0.0.1", "10.0.0.2"] { proxies.trust(address) }
        let headers = HTTPHeaders(fields.map { ("X-Forwarded-For", $0) })
        let proxy = try SocketAddress(ipAddress: "10.0.0.1", port: 1)
        #expect(proxies.client(behind: proxy, headers).ipAddress == client)
    }

    @Test("Only the exact address of a trusted proxy is trusted, in any notation")
    func addresses() throws {
        var proxies = TrustedProxies()
        for address in ["10.0.0.1", "2001:db8::1", "no address"] { proxies.trust(address) }
        for (text, isTrusted) in [
            ("10.0.0.1", true), ("::ffff:10.0.0.1", true), ("2001:db8:0::1", true), ("2001:db8::2", false),
            ("10.0.0.2", false), ("::a00:1", false),
        ] {
            #expect(proxies.contains(try SocketAddress(ipAddress: text, port: 2)) == isTrusted)
        }
        #expect(!proxies.contains(nil))
    }

    @Test(
        "Clients behind a trusted proxy are limited separately, and those behind another proxy as one client"
    )
    func limits() throws {
        try EngineBench.with({
            $0.connectionsPerAddress = 2
            $0.trustedProxies.trust("10.0.0.1")
        }) { bench in
            func statuses(from address: String, for client: String) throws -> [Int?] {
                try (0..<3).map { _ in
                    let line = try bench.request(
                        "GET",
                        Self.handshake,
                        ["X-Forwarded-For: 6.6.6.6, \(client)"],
                        from: address
                    )
                    defer { line.cut() }
                    return try line.reply()?.status
                }
            }
            for client in ["192.0.2.1", "192.0.2.2"] {
                let reported = try statuses(from: "10.0.0.1", for: client)
                #expect(reported == [200, 200, 429])
            }
            let others = try ["192.0.2.3", "192.0.2.4"].map { try statuses(from: "10.0.0.9", for: $0) }
            #expect(others == [[200, 200, 429], [429, 429, 429]])
        }
    }
}
