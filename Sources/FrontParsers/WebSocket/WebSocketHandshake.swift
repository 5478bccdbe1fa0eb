package import NIOCore
package import NIOHTTP1
internal import NIOWebSocket

/// The server's part of the opening handshake of RFC 6455.
package enum WebSocketHandshake {
    /// Creates the response headers that accept a WebSocket; nil if the request's headers are invalid.
    package static func headers(for head: HTTPRequestHead, on channel: any Channel) -> HTTPHeaders? {
        guard isKey(head.headers.first(name: "sec-websocket-key") ?? "") else { return nil }
        let offered = head.headers["sec-websocket-protocol"]
        let protocols = WebSocketProtocols(offered)
        guard offered.isEmpty || protocols != nil else { return nil }
        let upgrader = NIOWebSocketServerUpgrader(
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
            upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() }
        )
        let response = upgrader.buildUpgradeResponse(
            channel: channel,
            upgradeRequest: head,
            initialResponseHeaders: [:]
        )
        // The future is complete already, as are those of the callbacks.
        var headers: HTTPHeaders?
        response.assumeIsolated().whenSuccess { headers = $0 }
        if let first = protocols?.first { headers?.add(name: "Sec-WebSocket-Protocol", value: first) }
        return headers
    }

    /// Determines whether a text is the Base64 encoding of 16 bytes.
    private static func isKey(_ text: String) -> Bool {
        text.utf8.count == 24 && text.hasSuffix("==")
            && text.utf8.dropLast(2).allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                    true
                default: false
                }
            }
    }
}
