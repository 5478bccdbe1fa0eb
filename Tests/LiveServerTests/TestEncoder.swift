import LiveCore
import NIOCore
import NIOPosix
import RTMP

/// An encoder that publishes a stream of tiny frames.
final class TestEncoder {
    enum Problem: Error { case disconnected }

    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var session: PublishSession

    private init(
        _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>,
        _ session: PublishSession
    ) {
        (self.inbound, self.outbound, self.session) = (inbound.makeAsyncIterator(), outbound, session)
    }

    /// Connects an encoder while `body` runs.
    static func connect<Result: Sendable>(
        to port: Int,
        app: String = "app",
        key: String,
        _ body: (TestEncoder) async throws -> Result
    ) async throws -> Result {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            let session = PublishSession(url: "rtmp://127.0.0.1/\(app)", app: app, key: key)
            return try await body(TestEncoder(inbound, outbound, session))
        }
    }

    func send(_ bytes: [UInt8]) async throws { try await outbound.write(ByteBuffer(bytes: bytes)) }

    func shakeHands() async throws {
        try await send(session.opening)
        _ = try await receive()
    }

    /// Begins to publish.
    ///
    /// - Throws: `RTMPViolation.refused` if the server refuses the stream; `Problem` if it closes the connection.
    func publish() async throws {
        try await send(session.opening)
        while try await !receive().contains(.started) {}
    }

    /// Waits for bytes of the server, and answers them.
    private func receive() async throws -> [PublishSession.Event] {
        guard let buffer = try await inbound.next(isolation: nil) else { throw Problem.disconnected }
        let events = try session.receive(Array(buffer.readableBytesView)[...])
        for case .send(let bytes) in events { try await send(bytes) }
        return events
    }

    /// Waits until the server closes the connection.
    ///
    /// - Throws: `RTMPViolation.refused` if the server gives a reason.
    func waitForEnd() async throws {
        while true {
            do { _ = try await receive() } catch Problem.disconnected { return } catch let error as IOError {
                // The server need not have read everything.
                _ = error
                return
            }
        }
    }

    func configure() async throws {
        let record: [UInt8] = [1, 0x42, 0xC0, 0x1E, 0xFF, 0xE1, 0, 2, 0x67, 0x42, 1, 0, 1, 0x68]
        try await send(session.video(.configuration(record[...]), at: 0))
    }

    func frame(at timestamp: UInt32, isKeyframe: Bool = true, length: Int = 10) async throws {
        let length = UInt32(length)
        let header = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
        let units = header + [0x65] + [UInt8](repeating: 7, count: Int(length) - 1)
        try await send(session.video(.frame(isKeyframe: isKeyframe, offset: 0, units[...]), at: timestamp))
    }

    func end() async throws { try await send(session.end()) }
}
