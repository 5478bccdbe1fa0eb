internal import NIOCore
internal import NIOWebSocket

/// A handler of the parts of Engine.IO and Socket.IO that the load uses; events are relayed unchanged.
final class RelayHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private static let pingInterval = TimeAmount.seconds(25)

    private let rooms: Rooms
    private let room: String
    private var peer: RelayHandler?
    private var context: ChannelHandlerContext?
    private var heartbeat: Scheduled<Void>?

    init(_ rooms: Rooms, room: String) {
        self.rooms = rooms
        self.room = room
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        send(#"0{"sid":"x","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#)
        context.flush()
        startHeartbeat(on: context.eventLoop)
    }

    private func startHeartbeat(on loop: any EventLoop) {
        heartbeat = loop.assumeIsolated().scheduleTask(in: Self.pingInterval) { [weak self] in
            self?.send("2")
            self?.context?.flush()
            self?.startHeartbeat(on: loop)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        heartbeat?.cancel()
        rooms.leave(self, room)
        peer?.peer = nil
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text: receive(frame.unmaskedData)
        case .connectionClose:
            context.writeAndFlush(
                wrapOutboundOut(
                    WebSocketFrame(fin: true, opcode: .connectionClose, data: frame.unmaskedData)
                ),
                promise: nil
            )
            context.close(promise: nil)
        default: break
        }
    }

    /// Flushes the output caused by one read.
    func channelReadComplete(context: ChannelHandlerContext) {
        peer?.context?.flush()
        context.flush()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func receive(_ text: ByteBuffer) {
        let start = text.readableBytesView.prefix(2)
        if start.elementsEqual("42".utf8) {
            peer?.send(text)
        } else if start.elementsEqual("40".utf8) {
            peer = rooms.meet(self, in: room)
            peer?.peer = self
            send(#"40{"sid":"x"}"#)
        }
    }

    private func send(_ text: String) { send(ByteBuffer(string: text)) }

    private func send(_ text: ByteBuffer) {
        guard let context else { return }
        context.write(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .text, data: text)), promise: nil)
    }
}
