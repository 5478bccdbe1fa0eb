import Basics
import HTTPFront
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

    /// Opens a session without joining a room.
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

    /// Joins a room, checks that the join succeeds, and runs `body` after `room_state`.
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

    /// Sends CONNECT for the namespace `/` and returns the reply.
    func connect(_ auth: JSON? = nil) async throws -> SocketPacket? {
        try await send(SocketPacket(type: .connect, payload: auth))
        return try await next()
    }

    /// Waits until the server has read everything sent.
    ///
    /// The room must have no other member.
    ///
    /// A WebSocket ping is sent for this, because the server handles it after all earlier messages.
    func isHeard() async throws {
        try await socket.sendFrame(0x89, [])
        try await socket.expect(.pong([]))
    }

    /// Waits until the other peer has received everything sent to it.
    func isHeard(by other: TestPeer) async throws {
        try await send(.event("heard"))
        try await other.skip(to: "heard")
    }

    /// Reads packets up to and including the next event with this name.
    func skip(to event: String) async throws {
        while let packet = try await next() { if packet.eventName == event { return } }
        throw TestFailure("no \(event) until the end of the session")
    }

    /// Checks the next packet; nil means the end of the session.
    func expect(_ packet: SocketPacket?, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let next = try await next()
        #expect(next == packet, sourceLocation: sourceLocation)
    }

    /// Reads the next packet; nil when the server closes the session.
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

/// Runs a server on a free port.
///
/// The default grace period is so long that only immediate departures are reported during a test.
@discardableResult
func withServer<R>(
    _ configure: (inout ServerConfiguration) throws -> Void = { _ in },
    services: [any WebService] = [DescriptionService()],
    _ body: (ListeningServer) async throws -> R
) async throws -> R {
    var configuration = ServerConfiguration()
    configuration.port = 0
    configuration.grace = .seconds(600)
    try configure(&configuration)
    var logger = Logger(label: "callrunner.server.test")
    logger.logLevel = .critical
    return try await SignalingServer.run(configuration, services: services, logger: logger, body)
}

extension ListeningServer {
    /// The current counts of the server.
    var counts: ServerCounts {
        get async throws { try await signaling.eventLoop.submit { signaling.value.counts }.get() }
    }
}
