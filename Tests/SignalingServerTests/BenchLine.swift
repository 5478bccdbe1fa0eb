import NIOCore
import NIOEmbedded

/// The client's end of a connection to the server of an `EngineBench`.
final class BenchLine {
    private let channel: EmbeddedChannel
    private var input = ByteBuffer()

    init(_ channel: EmbeddedChannel) { self.channel = channel }

    var isClosed: Bool { !channel.isActive }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        guard !isClosed else { return }
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        channel.embeddedEventLoop.run()
    }

    /// Closes the connection abruptly, without a close packet or frame.
    func cut() {
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
    }

    /// Sets whether the channel is writable.
    ///
    /// False simulates a client that reads too slowly.
    func setWritable(_ isWritable: Bool) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
        channel.embeddedEventLoop.run()
    }

    /// Reads exactly `count` bytes.
    ///
    /// If fewer have been received, returns nil and consumes none.
    func read(_ count: Int) throws -> [UInt8]? {
        try receive()
        return input.readBytes(length: count)
    }

    /// Returns the received bytes that have not been read, without consuming them.
    func peek() throws -> [UInt8] {
        try receive()
        return Array(input.readableBytesView)
    }

    /// Reads the next HTTP response; returns nil if it has not been received completely.
    func reply() throws -> BenchReply? {
        let text = String(decoding: try peek(), as: UTF8.self)
        guard let reply = BenchReply(text) else { return nil }
        input.moveReaderIndex(forwardBy: reply.length)
        return reply
    }

    private func receive() throws {
        channel.embeddedEventLoop.run()
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { input.writeImmutableBuffer(bytes) }
    }
}
