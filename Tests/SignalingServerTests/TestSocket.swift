import FrontTesting
import SignalingServer
import Testing

/// A minimal WebSocket client, which can also violate the protocol.
final class TestSocket {
    enum Message: Hashable {
        case text(String), binary([UInt8]), pong([UInt8])
        /// A close frame with this code; 0 if it contains none.
        case close(Int)
        /// The end of the connection.
        case end
    }

    let connection: TestConnection

    private init(_ connection: TestConnection) { self.connection = connection }

    /// Opens a WebSocket at `target`, by default that of Engine.IO with the query appended to
    /// `EIO=4&transport=websocket`.
    static func with<R>(
        _ server: ListeningServer,
        query: String = "",
        target: String? = nil,
        headers: [String] = [],
        from address: String? = nil,
        _ body: (TestSocket) async throws -> R
    ) async throws -> R {
        try await TestConnection.with(port: server.port, from: address) { connection in
            let engine = "/socket.io/?EIO=4&transport=websocket\(query.isEmpty ? "" : "&")\(query)"
            let lines =
                [
                    "GET \(target ?? engine) HTTP/1.1",
                    "Host: 127.0.0.1", "Connection: Upgrade", "Upgrade: websocket",
                    "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                ] + headers
            try await connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
            let head = try await connection.readHead()
            try #require(head.hasPrefix("HTTP/1.1 101 "), "\(head)")
            #expect(head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
            return try await body(TestSocket(connection))
        }
    }

    func send(_ text: String) async throws { try await sendFrame(0x81, Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws { try await sendFrame(0x82, bytes) }

    /// Sends a frame with any first byte, masked or not; `length` overrides the length in the header.
    func sendFrame(_ firstByte: UInt8, _ payload: [UInt8], isMasked: Bool = true, length: Int? = nil)
        async throws
    {
        let frame = ClientFrame.bytes(firstByte, payload, isMasked: isMasked, length: length)
        try await connection.send(frame)
    }

    /// Reads the next message, which is a single unmasked frame.
    func next() async throws -> Message {
        guard let head = try await connection.read(2) else { return .end }
        var length = Int(head[1])
        if length > 125 {
            guard let bytes = try await connection.read(length == 126 ? 2 : 8) else { return .end }
            length = bytes.reduce(0) { $0 << 8 | Int($1) }
        }
        guard let payload = try await connection.read(length) else { return .end }
        switch head[0] {
        case 0x81: return .text(String(decoding: payload, as: UTF8.self))
        case 0x82: return .binary(payload)
        case 0x88: return .close(payload.prefix(2).reduce(0) { $0 << 8 | Int($1) })
        case 0x8A: return .pong(payload)
        default:
            Issue.record("unexpected frame of type \(head[0])")
            return .end
        }
    }

    /// Checks the next message.
    func expect(_ message: Message, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let next = try await next()
        #expect(next == message, sourceLocation: sourceLocation)
    }

    /// Skips messages up to the next close frame and checks its code.
    func expectClose(_ code: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let received = try await closeCode()
        #expect(received == code, sourceLocation: sourceLocation)
    }

    /// Skips messages up to the next close frame and returns its code; nil if the connection ends before.
    func closeCode() async throws -> Int? {
        while true {
            switch try await next() {
            case .close(let code): return code
            case .end: return nil
            case .text, .binary, .pong: continue
            }
        }
    }
}
