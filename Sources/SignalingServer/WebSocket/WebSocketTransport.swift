internal import FrontParsers
internal import HTTPFront
internal import NIOCore
internal import SocketIO

/// The WebSocket transport (RFC 6455) of an Engine.IO session, or a WebSocket that probes an upgrade of the
/// session.
final class WebSocketTransport: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The time within which a client must answer a close frame.
    private static let closeTimeout = TimeAmount.seconds(1)

    private let session: EngineSession
    private let batch: WriteBatch
    private let queues: OutgoingQueues
    private let maximumQueuedBytes: Int
    private let usesBase64: Bool
    /// The parser; nil after a protocol violation.
    private var parser: WebSocketFrameParser?
    private var context: ChannelHandlerContext?
    private var isClosing = false
    private var isInBatch = false
    private var isWritable = true
    /// The frames that wait until the channel is writable again, in one buffer.
    private var backlog = ByteBuffer()
    private var sent = WrittenBytes()
    var queueSeat = OutgoingQueueSeat()

    init(session: EngineSession, engine: EngineServer, usesBase64: Bool) {
        self.session = session
        self.usesBase64 = usesBase64
        batch = engine.batch
        queues = engine.queues
        maximumQueuedBytes = engine.configuration.maximumQueuedBytes
        parser = WebSocketFrameParser(maximumLength: engine.configuration.maximumPayload)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelInactive(context: ChannelHandlerContext) {
        isClosing = true
        queues.remove(self)
        session.transportDidClose(self, .transportClose)
        // If a channel closes during a read, `channelReadComplete` is not called.
        batch.endReading()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard parser != nil else { return }
        batch.beginReading()
        let bytes = unwrapInboundIn(data)
        guard isClosing || session.takeBytes(bytes.readableBytes) else { return }
        parser?.append(bytes)
        do throws(WebSocketViolation) {
            while let event = try parser?.next() { receive(event) }
        } catch {
            fail(error)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        batch.endReading()
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isClosing = true
        session.transportDidClose(self, .transportError)
        context.close(promise: nil)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        if isWritable, backlog.readableBytes > 0 {
            let waiting = backlog
            backlog = ByteBuffer()
            sent.add(waiting.readableBytes)
            context.writeAndFlush(wrapOutboundOut(waiting), promise: nil)
        }
        lookAtQueue()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { sendClose(DisconnectReason.serverShuttingDown.closeCode) }
        context.fireUserInboundEventTriggered(event)
    }

    private func receive(_ event: WebSocketFrameParser.Event) {
        if isClosing {
            if case .close = event { context?.close(promise: nil) }
            return
        }
        switch event {
        case .message(let message): session.receive(message, from: self)
        case .ping(let data):
            guard session.takeFrame() else { return }
            write(FramedMessage(opcode: .pong, data.readableBytesView).frame)
        case .pong, .fragment: session.takeFrame()
        case .close(let code):
            session.transportDidClose(self, .clientClose)
            answerClose(code)
        }
    }

    private func fail(_ violation: WebSocketViolation) {
        parser = nil
        guard !isClosing else { return }
        session.transportDidClose(self, .transportError)
        sendClose(violation.closeCode)
    }

    private func write(_ frame: ByteBuffer) {
        guard isWritable else { return queue(frame) }
        sent.add(frame.readableBytes)
        context?.write(wrapOutboundOut(frame), promise: nil)
        if isInBatch { return }
        isInBatch = true
        batch.add(self)
    }

    /// Queues a frame until the channel is writable again; a client with too many queued bytes is
    /// disconnected.
    private func queue(_ frame: ByteBuffer) {
        guard sent.mayWait + backlog.readableBytes + frame.readableBytes <= maximumQueuedBytes else {
            return dropQueue(.queueFull)
        }
        backlog.writeImmutableBuffer(frame)
        queues.note(self, bytes: sent.mayWait + backlog.storageCapacity, hasProgress: false)
    }

    /// Answers the client's close frame, then closes the connection.
    private func answerClose(_ code: UInt16) {
        guard let context else { return }
        let isSent = context.eventLoop.makePromise(of: Void.self)
        isSent.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
        isClosing = true
        backlog = ByteBuffer()
        context.writeAndFlush(wrapOutboundOut(Self.closeFrame(code == 1005 ? 1000 : code)), promise: isSent)
        closeInTime(context)
    }

    private static func closeFrame(_ code: UInt16) -> ByteBuffer {
        FramedMessage(opcode: .close, [UInt8(code >> 8), UInt8(code & 255)]).frame
    }

    /// Sends a close frame; the connection ends when the client has answered, or after a timeout.
    private func sendClose(_ code: UInt16) {
        guard !isClosing, let context else { return }
        write(Self.closeFrame(code))
        isClosing = true
        // Closing at once could cause a TCP reset, which discards the close frame, while the client is still
        // sending.
        closeInTime(context)
    }

    private func closeInTime(_ context: ChannelHandlerContext) {
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.closeTimeout) { [weak self] in
            self?.context?.close(promise: nil)
        }
    }
}

extension WebSocketTransport: EngineTransport {
    var kind: TransportKind { .websocket }

    func send(_ message: FramedMessage) {
        guard !isClosing else { return }
        write(usesBase64 ? message.asText.frame : message.frame)
    }

    func sendPing() { send(.ping) }

    func close(_ reason: DisconnectReason) {
        send(.close)
        sendClose(reason.closeCode)
    }

    /// Closes a WebSocket that the session does not use, or does not use yet.
    func closeProbe() { sendClose(1000) }
}

extension WebSocketTransport: BatchedWriter {
    func flushBatch() {
        isInBatch = false
        context?.flush()
        if sent.isWorthAsking { lookAtQueue() }
    }
}

extension WebSocketTransport: OutgoingQueue {
    func lookAtQueue() {
        let (waiting, hasProgress) = sent.look(at: context?.channel)
        let held = backlog.readableBytes > 0 ? backlog.storageCapacity : 0
        queues.note(self, bytes: waiting + held, hasProgress: hasProgress)
    }

    func dropQueue(_ reason: SlowConsumer) {
        queues.remove(self)
        backlog = ByteBuffer()
        guard let context else { return }
        if !isClosing { session.engine.front.slowConsumerClosed(reason) }
        isClosing = true
        context.eventLoop.assumeIsolated().execute {
            self.session.transportDidClose(self, .slowConsumer)
            self.context?.close(promise: nil)
        }
    }
}
