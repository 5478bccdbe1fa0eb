internal import NIOCore

/// A handler that answers plain HTTP on a TLS port with an explanation, instead of a failed handshake.
final class PlainRequestRefusal: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The content type of a handshake record (RFC 8446 §5.1), which is the first byte that a TLS client
    /// sends.
    private static let handshakeRecord: UInt8 = 22
    private static let text = "this port speaks HTTPS; use https:// instead of http://\n"

    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        let buffer = unwrapInboundIn(data)
        guard let first = buffer.getInteger(at: buffer.readerIndex, as: UInt8.self) else { return }
        if first == Self.handshakeRecord {
            context.fireChannelRead(data)
            return context.pipeline.syncOperations.removeHandler(self, promise: nil)
        }
        isRefused = true
        let answer = """
            HTTP/1.1 400 Bad Request\r
            Content-Type: text/plain; charset=UTF-8\r
            Content-Length: \(Self.text.utf8.count)\r
            Connection: close\r
            \r
            \(Self.text)
            """
        // Written from this handler's context, the response bypasses the TLS handler.
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer))).assumeIsolated()
            .whenComplete { _ in context.close(promise: nil) }
    }
}
