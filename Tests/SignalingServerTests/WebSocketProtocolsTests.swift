import Testing

@testable import SignalingServer

@Suite("WebSocket subprotocols")
struct WebSocketProtocolsTests {
    private func reply(_ headers: [String]) throws -> BenchReply {
        let upgrade = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        var found: BenchReply?
        try EngineBench.with { bench in
            let target = "/engine.io/?EIO=4&transport=websocket"
            found = try bench.request("GET", target, upgrade + headers).reply()
        }
        return try #require(found)
    }

    @Test(
        "The first offered subprotocol is selected",
        arguments: [
            (["a"], "a"), (["chat.v1, b"], "chat.v1"), (["a , b,c"], "a"), (["b", "a"], "b"), ([], nil),
            (["!#$%&'*+-.^_`|~9Az"], "!#$%&'*+-.^_`|~9Az"),
        ] as [([String], String?)]
    )
    func first(values: [String], chosen: String?) throws {
        let reply = try reply(values.map { "Sec-WebSocket-Protocol: \($0)" })
        #expect(reply.status == 101)
        #expect(reply.headers["sec-websocket-protocol"] == chosen)
    }

    @Test(
        "A list of offered subprotocols with invalid or repeated tokens is refused",
        arguments: [
            [""], [","], ["a,"], [",a"], ["a b"], ["a, a"], ["a", "a"], ["a;b"], ["\"a\""], ["a", ""],
        ]
    )
    func malformed(values: [String]) throws {
        #expect(try reply(values.map { "Sec-WebSocket-Protocol: \($0)" }).status == 400)
    }
}
