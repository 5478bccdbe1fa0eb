internal import NIOCore
internal import NIOWebSocket
internal import SocketIO

/// Carries an Engine.IO session over a WebSocket (RFC 6455).
final class WebSocketTransport: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// How long a client may take to answer a close frame.
    private static let closeTimeout = TimeAmount.seconds(1)

    private let session: EngineSession
    private let usesBase64: Bool
    private var messages: WebSocketMessageAssembler
    private var context: ChannelHandlerContext?
    private var isClosing = false

    init(session: EngineSession, configuration: ServerConfiguration, usesBase64: Bool) {
        self.session = session
        self.usesBase64 = usesBase64
        messages = WebSocketMessageAssembler(maximumLength: configuration.maximumPayload)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelInactive(context: ChannelHandlerContext) {
        session.transportDidClose(.transportClose)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard !isClosing else {
            if frame.opcode == .connectionClose { context.close(promise: nil) }
            return
        }
        // Clients have to mask, and there are no extensions that gave the reserved bits a sense.
        guard frame.maskKey != nil, frame.reservedBits.isEmpty else { return fail(.protocolError) }
        switch frame.opcode {
        case .text, .binary, .continuation: receive(frame)
        case .ping: write(frame.unmaskedData, as: .pong)
        case .pong: break
        case .connectionClose:
            session.transportDidClose(.clientClose)
            answerClose()
        default: fail(.protocolError)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength: fail(.tooLarge)
        case is NIOWebSocketError: fail(.protocolError)
        default:
            session.transportDidClose(.transportError)
            context.close(promise: nil)
        }
    }

    /// The bytes waiting for the client have grown above the limit: it is dropped.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard !context.channel.isWritable else { return }
        // Not at once: this is called in the midst of sending to somebody.
        context.eventLoop.assumeIsolated().execute {
            self.isClosing = true
            self.session.transportDidClose(.transportError)
            context.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { session.close(.serverShuttingDown) }
        context.fireUserInboundEventTriggered(event)
    }

    private func receive(_ frame: WebSocketFrame) {
        do throws(WebSocketViolation) {
            switch try messages.add(frame) {
            case .text(let text):
                guard let packet = try? EnginePacket(text: text) else { return session.close(.parseError) }
                session.receive(packet)
            case .binary(let bytes): session.receive(.binary(bytes))
            case nil: break
            }
        } catch {
            fail(error)
        }
    }

    private func fail(_ violation: WebSocketViolation) {
        guard !isClosing else { return }
        session.transportDidClose(.transportError)
        sendClose(violation.closeCode)
    }

    private func write(
        _ data: ByteBuffer,
        as opcode: WebSocketOpcode,
        promise: EventLoopPromise<Void>? = nil
    ) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, data: data)
        context?.writeAndFlush(wrapOutboundOut(frame), promise: promise)
    }

    /// Confirms the client's close frame, after which it is the server's part to end the connection.
    private func answerClose() {
        guard let context else { return }
        isClosing = true
        let isSent = context.eventLoop.makePromise(of: Void.self)
        write(Self.closeData(.normalClosure), as: .connectionClose, promise: isSent)
        isSent.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    }

    private static func closeData(_ code: WebSocketErrorCode) -> ByteBuffer {
        var data = ByteBuffer()
        data.write(webSocketErrorCode: code)
        return data
    }

    /// Sends a close frame; the connection ends when the client has answered, or when time is up.
    private func sendClose(_ code: WebSocketErrorCode) {
        guard !isClosing, let context else { return }
        isClosing = true
        write(Self.closeData(code), as: .connectionClose)
        // Closing at once would discard what the client is sending, and with it our frame (TCP's reset).
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.closeTimeout) { [weak self] in
            self?.context?.close(promise: nil)
        }
    }
}

extension WebSocketTransport: EngineTransport {
    func send(_ packets: [EnginePacket]) {
        guard let context, !isClosing else { return }
        for packet in packets {
            let frame =
                if case .binary(let bytes) = packet, !usesBase64 {
                    WebSocketFrame(fin: true, opcode: .binary, data: ByteBuffer(bytes: bytes))
                } else {
                    WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: packet.text))
                }
            context.write(wrapOutboundOut(frame), promise: nil)
        }
        context.flush()
    }

    func close(_ reason: DisconnectReason) {
        send([.close])
        sendClose(reason.closeCode)
    }
}
