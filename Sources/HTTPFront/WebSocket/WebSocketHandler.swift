package import FrontParsers
package import NIOCore

/// The server side of a WebSocket (RFC 6455).
///
/// Output is flushed in batches; a client that does not read it is disconnected.
package final class WebSocketHandler: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// The time within which a client must answer a close frame.
    private static let closeTimeout = TimeAmount.seconds(1)

    // This reference cycle ends with the connection.
    private var delegate: (any WebSocketDelegate)?
    private let front: FrontServer
    /// The address from which the messages come; nil if it is unknown.
    private let sender: ClientAddress?
    private let maximumQueuedBytes: Int
    /// The parser; nil after a protocol violation, or once the client is disconnected because it is too slow.
    private var parser: WebSocketFrameParser?
    private var context: ChannelHandlerContext?
    private var isClosing = false
    private var isInBatch = false
    private var isWritable = true
    /// The frames that wait until the channel is writable again, in one buffer.
    private var backlog = ByteBuffer()
    private var sent = WrittenBytes()
    /// The record of a message that is incomplete; nil until there is such a message.
    private var incomplete: IncompleteInput?
    package var queueSeat = ClientQueueSeat()

    private var batch: WriteBatch { front.batch }
    private var queues: ClientQueues { front.queues }

    /// Creates a WebSocket that accepts messages of at most `maximumMessage` bytes from a client.
    ///
    /// At most `maximumQueuedBytes` may wait for the client; nil for the server's maximum. The delegate must be set
    /// right after the connection has been upgraded; until then, input is dropped.
    package init(
        _ front: FrontServer,
        with client: ClientAddress?,
        maximumMessage: Int,
        maximumQueuedBytes: Int? = nil
    ) {
        self.front = front
        sender = client
        self.maximumQueuedBytes = maximumQueuedBytes ?? front.maximumQueuedBytes
        parser = WebSocketFrameParser(maximumLength: maximumMessage)
    }

    /// Sets the receiver of the WebSocket's events, which is retained until the connection has ended.
    package func setDelegate(_ delegate: any WebSocketDelegate) { self.delegate = delegate }

    package func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        delegate = nil
    }

    package func channelInactive(context: ChannelHandlerContext) {
        isClosing = true
        queues.remove(self)
        incomplete?.finish()
        delegate?.socketDidClose(.connectionClosed)
        // If a channel closes during a read, `channelReadComplete` is not called.
        batch.endReading()
        context.fireChannelInactive()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard parser != nil else { return }
        batch.beginReading()
        let bytes = unwrapInboundIn(data)
        guard isClosing || delegate?.socketMayReceive(bytes: bytes.readableBytes) ?? false else { return }
        parser?.append(bytes)
        do throws(WebSocketViolation) {
            while let event = try parser?.next() {
                // The next message has its own time limit.
                if case .message = event { incomplete?.finish() }
                receive(event)
            }
        } catch {
            fail(error)
        }
        noteIncompleteInput()
    }

    private func noteIncompleteInput() {
        let bytes = isClosing ? 0 : parser?.incompleteBytes ?? 0
        if bytes > 0, incomplete == nil {
            incomplete = IncompleteInput(front) { [weak self] in self?.abandon(.slowSender) }
        }
        incomplete?.note(bytes: bytes, from: sender)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        batch.endReading()
        context.fireChannelReadComplete()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isClosing = true
        delegate?.socketDidClose(.failed)
        context.close(promise: nil)
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        if isWritable, backlog.readableBytes > 0 {
            let waiting = backlog
            backlog = ByteBuffer()
            sent.add(waiting.readableBytes)
            context.writeAndFlush(wrapOutboundOut(waiting), promise: nil)
        }
        lookAtQueue()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { close(1001) }
        context.fireUserInboundEventTriggered(event)
    }

    private func receive(_ event: WebSocketFrameParser.Event) {
        if isClosing {
            if case .close = event { context?.close(promise: nil) }
            return
        }
        switch event {
        case .message(let message): delegate?.socket(didReceive: message)
        case .ping(let data):
            guard delegate?.socketMayReceiveFrame() ?? false else { return }
            write(FramedMessage(opcode: .pong, data.readableBytesView).frame)
        case .pong, .fragment: _ = delegate?.socketMayReceiveFrame()
        case .close(let code):
            delegate?.socketDidClose(.closed)
            answerClose(code)
        }
    }

    private func fail(_ violation: WebSocketViolation) {
        parser = nil
        guard !isClosing else { return }
        delegate?.socketDidClose(.failed)
        close(violation.closeCode)
    }

    /// Sends a message; it is dropped if the WebSocket is closing.
    package func send(_ message: FramedMessage) {
        if !isClosing { write(message.frame) }
    }

    /// Sends a close frame; the connection ends when the client has answered, or after a timeout.
    package func close(_ code: UInt16) {
        guard !isClosing, let context else { return }
        write(Self.closeFrame(code))
        isClosing = true
        // Closing immediately could cause a TCP reset, which discards the close frame, while the client is still
        // sending.
        closeInTime(context)
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

    private func closeInTime(_ context: ChannelHandlerContext) {
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.closeTimeout) { [weak self] in
            self?.context?.close(promise: nil)
        }
    }
}

extension WebSocketHandler: BatchedWriter {
    package func flushBatch() {
        isInBatch = false
        context?.flush()
        if sent.isWorthAsking { lookAtQueue() }
    }
}

extension WebSocketHandler: ClientQueue {
    package func lookAtQueue() {
        let (waiting, hasProgress) = sent.look(at: context?.channel)
        let held = backlog.readableBytes > 0 ? backlog.storageCapacity : 0
        queues.note(self, bytes: waiting + held, hasProgress: hasProgress)
    }

    package func dropQueue(_ reason: SlowClient) {
        queues.remove(self)
        backlog = ByteBuffer()
        guard let context else { return }
        let isToldReason = reason == .queueFull && !isClosing
        if !isClosing { front.slowConsumerClosed(reason) }
        isClosing = true
        context.eventLoop.assumeIsolated().execute {
            if isToldReason { self.refuseOutput() } else { self.abandon(.slowConsumer) }
        }
    }

    /// Ends a WebSocket with too much queued output by sending a close frame after the frames that have been written.
    private func refuseOutput() {
        delegate?.socketDidClose(.slowConsumer)
        guard let context else { return }
        // The close code 1013 means “try again later”.
        let frame = Self.closeFrame(1013)
        sent.add(frame.readableBytes)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        closeInTime(context)
        // The written bytes still count as waiting, so that the client may be dropped if the budget of all clients is
        // exceeded.
        lookAtQueue()
    }

    /// Closes the connection of a client that is too slow.
    private func abandon(_ end: WebSocketEnd) {
        isClosing = true
        parser = nil
        delegate?.socketDidClose(end)
        context?.close(promise: nil)
    }
}
