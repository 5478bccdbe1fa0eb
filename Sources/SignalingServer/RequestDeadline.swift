internal import NIOCore

/// Closes a connection that has not become a WebSocket in time, or when the server goes.
final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let limit: TimeAmount
    private weak var channel: (any Channel)?

    init(_ limit: TimeAmount) { self.limit = limit }

    func channelActive(context: ChannelHandlerContext) {
        channel = context.channel
        // Never cancelled: to look for one among tens of thousands of timers would cost too much.
        context.eventLoop.assumeIsolated().scheduleTask(in: limit) { [weak self] in
            self?.channel?.close(promise: nil)
        }
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { channel = nil }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}
