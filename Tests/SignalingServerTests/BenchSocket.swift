import FrontTesting
import SocketIO
import Testing

/// A WebSocket client of an `EngineBench`, which can also violate the protocol.
struct BenchSocket {
    let line: BenchLine

    /// Opens a WebSocket.
    ///
    /// The handshake packet, if the server sends one, is its first message.
    init(
        _ bench: EngineBench,
        path: String = "/engine.io/",
        query: String = "",
        from address: String = "127.0.0.1"
    ) throws {
        let headers = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        line = try bench.request(
            "GET",
            "\(path)?EIO=4&transport=websocket\(query)",
            headers,
            from: address
        )
        let reply = try #require(try line.reply())
        try #require(reply.status == 101, "\(reply)")
    }

    /// Opens a session over WebSocket and reads its handshake packet.
    static func open(
        _ bench: EngineBench,
        path: String = "/engine.io/",
        query: String = "",
        from address: String = "127.0.0.1"
    ) throws -> (socket: BenchSocket, handshake: EngineHandshake) {
        let socket = try BenchSocket(bench, path: path, query: query, from: address)
        guard case .text(let text)? = try socket.next(),
            case .open(let handshake) = try EnginePacket(text: text)
        else { throw TestFailure("no handshake") }
        return (socket, handshake)
    }

    /// Joins room 1 as a caller and reads what the server says to a newcomer.
    static func join(
        _ bench: EngineBench,
        _ name: String,
        from address: String = "127.0.0.1"
    ) throws -> BenchSocket {
        let query = "&roomId=1&username=\(name)&isCaller=true"
        let (socket, _) = try open(bench, path: "/socket.io/", query: query, from: address)
        try socket.send("40")
        _ = try socket.texts()
        return socket
    }

    func send(_ text: String) throws { try line.send(ClientFrame.text(text)) }

    func send(_ bytes: [UInt8]) throws { try line.send(ClientFrame.binary(bytes)) }

    func sendFrame(_ firstByte: UInt8, _ payload: [UInt8], isMasked: Bool = true) throws {
        try line.send(ClientFrame.bytes(firstByte, payload, isMasked: isMasked))
    }

    /// Reads the next received message; nil if there is none and the connection is open.
    func next() throws -> TestSocket.Message? {
        let bytes = try line.peek()
        guard bytes.count >= 2 else { return line.isClosed ? .end : nil }
        let size = [126: 2, 127: 8][bytes[1]] ?? 0
        let length = size == 0 ? Int(bytes[1]) : bytes[2..<(2 + size)].reduce(0) { $0 << 8 | Int($1) }
        let frame = try #require(try line.read(2 + size + length))
        let payload = Array(frame[(2 + size)...])
        switch frame[0] {
        case 0x81: return .text(String(decoding: payload, as: UTF8.self))
        case 0x82: return .binary(payload)
        case 0x88: return .close(payload.prefix(2).reduce(0) { $0 << 8 | Int($1) })
        case 0x8A: return .pong(payload)
        default: throw TestFailure("unexpected frame of type \(frame[0])")
        }
    }

    /// Checks the next message; nil means that none has been received.
    func expect(_ message: TestSocket.Message?, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let next = try next()
        #expect(next == message, sourceLocation: sourceLocation)
    }

    /// Reads the received text messages up to the first other message, which is discarded.
    func texts() throws -> [String] {
        var texts: [String] = []
        while case .text(let text)? = try next() { texts.append(text) }
        return texts
    }

    /// Checks with a WebSocket ping that the connection works; no other message may be pending.
    func expectAlive(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try sendFrame(0x89, [1])
        try expect(.pong([1]), sourceLocation: sourceLocation)
    }
}
