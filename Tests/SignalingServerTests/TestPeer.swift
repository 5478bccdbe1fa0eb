import Logging
import NIOCore
import SocketIO
import Testing

@testable import SignalingServer

/// A Socket.IO client for tests, which answers pings.
final class TestPeer {
    let socket: TestSocket
    private(set) var handshake: EngineHandshake?
    private var decoder = SocketDecoder()

    init(_ socket: TestSocket) { self.socket = socket }

    /// Opens a session, but joins nothing.
    static func with<R>(
        _ server: ListeningServer,
        query: String = "",
        from address: String? = nil,
        _ body: (TestPeer) async throws -> R
    ) async throws -> R {
        try await TestSocket.with(server, query: query, from: address) { socket in
            let peer = TestPeer(socket)
            guard case .text(let text) = try await socket.next(),
                case .open(let handshake) = try EnginePacket(text: text)
            else { throw TestFailure("no handshake") }
            peer.handshake = handshake
            return try await body(peer)
        }
    }

    /// Joins a room, expects to be let in, and goes on behind `room_state`.
    static func with<R>(
        _ server: ListeningServer,
        as name: String,
        _ isCaller: Bool,
        room: Int = 1,
        key: String? = nil,
        _ body: (TestPeer) async throws -> R
    ) async throws -> R {
        try await with(server, query: "roomId=\(room)&username=\(name)&isCaller=\(isCaller)") { peer in
            let reply = try await peer.connect(key.map { ["key": .string($0)] })
            try #require(reply?.type == .connect, "\(String(describing: reply))")
            try await peer.skip(to: "room_state")
            return try await body(peer)
        }
    }

    func send(_ packet: SocketPacket) async throws {
        let frames = SocketEncoder.encode(packet)
        try await socket.send(EnginePacket.message(frames.text).text)
        for attachment in frames.attachments { try await socket.send(attachment) }
    }

    /// Asks to join the namespace `/`; the answer.
    func connect(_ auth: JSON? = nil) async throws -> SocketPacket? {
        try await send(SocketPacket(type: .connect, payload: auth))
        return try await next()
    }

    /// Returns when the server has read all that was sent, with nobody else in the room.
    ///
    /// WebSocket pings are answered in their turn.
    func isHeard() async throws {
        try await socket.sendFrame(0x89, [])
        try await socket.expect(.pong([]))
    }

    /// Returns when what was sent has reached another.
    func isHeard(by other: TestPeer) async throws {
        try await send(.event("heard"))
        try await other.skip(to: "heard")
    }

    /// Passes over all until that event has come.
    func skip(to event: String) async throws {
        while let packet = try await next() { if packet.eventName == event { return } }
        throw TestFailure("no \(event) until the end of the session")
    }

    /// Checks the next packet; nil stands for the end of the session.
    func expect(_ packet: SocketPacket?, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let next = try await next()
        #expect(next == packet, sourceLocation: sourceLocation)
    }

    /// The next packet; nil when the server closes the session.
    func next() async throws -> SocketPacket? {
        while true {
            switch try await socket.next() {
            case .text(let text):
                switch try EnginePacket(text: text) {
                case .message(let text):
                    if let packet = try decoder.decode(text: text) { return packet }
                case .ping: try await socket.send("3")
                default: break
                }
            case .binary(let bytes):
                if let packet = try decoder.decode(attachment: bytes) { return packet }
            case .pong: break
            case .close, .end: return nil
            }
        }
    }
}

struct TestFailure: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// Runs a server on a free port, with a long grace so that what is told at once can be told from it.
@discardableResult
func withServer<R>(
    _ configure: (inout ServerConfiguration) throws -> Void = { _ in },
    _ body: (ListeningServer) async throws -> R
) async throws -> R {
    var configuration = ServerConfiguration()
    configuration.port = 0
    configuration.grace = .seconds(600)
    try configure(&configuration)
    var logger = Logger(label: "callrunner.server.test")
    logger.logLevel = .critical
    return try await SignalingServer.run(configuration, logger: logger, body)
}

extension ListeningServer {
    /// What happened on the server until now.
    var counts: ServerCounts {
        get async throws { try await engine.eventLoop.submit { engine.value.counts }.get() }
    }
}
