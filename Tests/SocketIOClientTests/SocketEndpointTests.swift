@testable import SocketIOClient
import Testing

@Suite("Socket endpoint")
struct SocketEndpointTests {
    @Test(
        "A server URL is converted to the URL of its WebSocket",
        arguments: [
            ("http://h", "ws://h/socket.io/?EIO=4&transport=websocket"),
            ("https://h/", "wss://h/socket.io/?EIO=4&transport=websocket"),
            ("HTTP://h:3000", "ws://h:3000/socket.io/?EIO=4&transport=websocket"),
            ("wss://h:1/app/", "wss://h:1/app/socket.io/?EIO=4&transport=websocket"),
            ("ws://[::1]:3000", "ws://[::1]:3000/socket.io/?EIO=4&transport=websocket"),
            ("http://h/?a=b", "ws://h/socket.io/?EIO=4&transport=websocket&a=b"),
        ]
    )
    func url(_ url: String, _ webSocket: String) throws {
        #expect(
            try SocketEndpoint(url: url, path: "/socket.io/", query: [:]).url(of: .websocket) == webSocket
        )
    }

    @Test(
        "A server on loopback is recognized by its name or address",
        arguments: [
            ("http://127.0.0.1:3000", true), ("ws://127.9.9.9", true), ("http://[::1]:3000/a", true),
            ("https://LOCALHOST", true), ("http://app.localhost:1", true), ("http://notlocalhost", false),
            ("http://localhost.example", false), ("http://127.0.0.1.example", false),
            ("http://10.0.0.1", false), ("http://[fd00::1]", false),
        ]
    )
    func loopback(_ url: String, _ isLoopback: Bool) throws {
        #expect(try SocketEndpoint(url: url, path: "/", query: [:]).isLoopback == isLoopback)
    }

    @Test("Names and values of the query are escaped")
    func escaping() throws {
        let endpoint = try SocketEndpoint(url: "http://h", path: "io", query: ["b": "ä&=+ ", "a": "1"])
        #expect(
            endpoint.url(of: .websocket) == "ws://h/io?EIO=4&transport=websocket&a=1&b=%C3%A4%26%3D%2B%20"
        )
    }
}
