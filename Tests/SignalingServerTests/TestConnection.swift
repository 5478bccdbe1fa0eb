import NIOCore
import NIOPosix

/// A TCP connection to a server under test, used by one task.
final class TestConnection {
    private let channel: any Channel
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var buffer = ByteBuffer()

    private init(
        channel: any Channel,
        inbound: NIOAsyncChannelInboundStream<ByteBuffer>,
        outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.channel = channel
        self.inbound = inbound.makeAsyncIterator()
        self.outbound = outbound
    }

    /// Connects, runs `body`, and closes the connection abruptly.
    ///
    /// `address` is the local address to connect from.
    static func with<R>(
        port: Int,
        from address: String? = nil,
        to host: String = "127.0.0.1",
        _ body: (TestConnection) async throws -> R
    ) async throws -> R {
        let source = try address.map { try SocketAddress(ipAddress: $0, port: 0) }
        // `connect(host:port:)` would resolve even an address on a thread of Dispatch, which a busy machine may
        // not start in time.
        let target =
            try (try? SocketAddress(ipAddress: host, port: port))
            ?? SocketAddress.makeAddressResolvingHost(host, port: port)
        // On an event loop that was busy for as long as the usual limit, a connection that is there counts as late.
        let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(.seconds(60))
        let channel = try await (source.map(bootstrap.bind) ?? bootstrap)
            .connect(to: target) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await body(
                TestConnection(channel: channel.channel, inbound: inbound, outbound: outbound)
            )
        }
    }

    func send(_ bytes: [UInt8]) async throws { try await outbound.write(ByteBuffer(bytes: bytes)) }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    /// Waits until everything sent has been passed to the socket.
    func flush() async throws { try await channel.eventLoop.submit {}.get() }

    /// Closes the connection abruptly, without a close packet or frame.
    func cut() async throws { try await channel.close() }

    /// Reads exactly `count` bytes; nil if the connection ends earlier.
    func read(_ count: Int) async throws -> [UInt8]? {
        while buffer.readableBytes < count {
            guard try await readMore() else { return nil }
        }
        return buffer.readBytes(length: count)
    }

    /// Reads the head of an HTTP response, including the empty line at its end.
    func readHead() async throws -> String {
        var head = ""
        while !head.hasSuffix("\r\n\r\n"), let byte = try await read(1) {
            head += String(decoding: byte, as: UTF8.self)
        }
        return head
    }

    /// Reads the text up to the end of the connection.
    func readToEnd() async throws -> String {
        while try await readMore() {}
        return String(buffer: buffer)
    }

    private func readMore() async throws -> Bool {
        do {
            guard var more = try await inbound.next(isolation: #isolation) else { return false }
            buffer.writeBuffer(&more)
            return true
        } catch is IOError {
            return false  // a reset by the server ends the connection too
        }
    }
}
