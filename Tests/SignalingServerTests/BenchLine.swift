import NIOCore
import NIOEmbedded

/// The client's end of a connection to an `EngineBench`.
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

    /// Ends the connection without a word.
    func cut() {
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
    }

    /// Says whether the connection takes more bytes, or its reader is too slow for them.
    func setWritable(_ isWritable: Bool) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
        channel.embeddedEventLoop.run()
    }

    /// Exactly so many bytes of what has come; nil, and takes nothing, where less has come.
    func read(_ count: Int) throws -> [UInt8]? {
        try receive()
        return input.readBytes(length: count)
    }

    /// What has come and was not read.
    func peek() throws -> [UInt8] {
        try receive()
        return Array(input.readableBytesView)
    }

    /// The next answer; nil where it has not come.
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
