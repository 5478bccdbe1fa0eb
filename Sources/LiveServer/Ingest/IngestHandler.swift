internal import Basics
internal import HTTPFront
internal import LiveCore
internal import Logging
internal import NIOCore
internal import RTMP

/// The connection of an encoder that publishes a stream.
final class IngestHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The time over which the bit rate is averaged.
    private static let rateSpan = 10
    /// The time for which the reason of a refusal may take to be sent.
    private static let closeTimeout = TimeAmount.seconds(1)

    private let streams: LiveStreams
    private let connections: IngestConnections
    private let limits: IngestLimits
    private let logger: Logger
    private var session = IngestSession()
    private var publication: Publication?
    private var deadline: Scheduled<Void>?
    /// The time of the last input.
    private var lastInput = NIODeadline.uptimeNanoseconds(0)
    private var bytes = TokenBucket()
    private let rate: TokenRate
    private var isClosing = false

    init(_ streams: LiveStreams, _ connections: IngestConnections, _ limits: IngestLimits, logger: Logger) {
        (self.streams, self.connections, self.limits, self.logger) = (streams, connections, limits, logger)
        let perSecond = Double(limits.bitrate) / 8
        rate = TokenRate(perSecond: perSecond, capacity: perSecond * Double(Self.rateSpan))
    }

    func channelActive(context: ChannelHandlerContext) {
        close(context, in: limits.handshakeTimeout)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        let buffer = unwrapInboundIn(data)
        guard bytes.take(buffer.readableBytes, of: rate, at: context.eventLoop.now) else {
            return fail(context, "its bit rate is above \(limits.bitrate / 1000) kb/s")
        }
        lastInput = context.eventLoop.now
        do throws(RTMPViolation) {
            let wasConnected = session.isConnected
            let events = try session.receive(Array(buffer.readableBytesView)[...])
            if session.isConnected, !wasConnected { close(context, in: limits.publishTimeout) }
            try handle(events, context)
        } catch {
            fail(context, error.description)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        // Little is sent to an encoder, so one that does not read it is hostile or dead.
        if !context.channel.isWritable { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        endPublication()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        logger.debug("encoder lost", metadata: ["error": "\(error)"])
        context.close(promise: nil)
    }

    // MARK: The stream

    private func handle(
        _ events: [IngestSession.Event],
        _ context: ChannelHandlerContext
    ) throws(RTMPViolation) {
        // Many small answers are written together.
        var output: [UInt8] = []
        defer { if !isClosing { send(output, context) } }
        for event in events {
            guard !isClosing else { return }
            switch event {
            case .send(let bytes): output += bytes
            case .publish(let app, let key):
                send(output, context)
                output = []
                try begin(app: app, key: key, context)
            case .video(let timestamp, let video):
                add(context) { publication throws(LiveFailure) in try publication.add(video, at: timestamp) }
            case .audio(let timestamp, let audio):
                add(context) { publication throws(LiveFailure) in try publication.add(audio, at: timestamp) }
            case .ended:
                endPublication()
                // The encoder still says that it closes its stream.
                close(context, in: Self.closeTimeout)
            case .closed: context.close(promise: nil)
            }
        }
    }

    private func begin(app: String, key: String, _ context: ChannelHandlerContext) throws(RTMPViolation) {
        let channel = context.channel
        do throws(IngestRefusal) {
            publication = try streams.begin(
                app: app,
                key: key,
                on: context.eventLoop,
                replacingAfter: limits.silenceBeforeTakeover
            ) { channel.close(promise: nil) }
        } catch {
            logger.warning(
                "encoder refused",
                metadata: ["reason": "\(error)", "client": "\(channel.remoteAddress?.ipAddress ?? "?")"]
            )
            return close(context, sending: session.refuse(error.description))
        }
        connections.published(channel)
        logger.notice("encoder publishes", metadata: ["stream": "\(publication?.stream ?? "")"])
        closeAfterSilence(context)
        try handle(session.accept(), context)
    }

    private func endPublication() {
        guard let publication else { return }
        self.publication = nil
        publication.end()
        let health = publication.health
        logger.notice(
            "encoder has left",
            metadata: [
                "stream": "\(publication.stream)", "frames": "\(health.frames)", "bytes": "\(health.bytes)",
                "keyframes": "every \(health.keyframeDistance) ms",
            ]
        )
    }

    private func add(
        _ context: ChannelHandlerContext,
        _ body: (Publication) throws(LiveFailure) -> Void
    ) {
        guard let publication else { return }
        do throws(LiveFailure) { try body(publication) } catch { fail(context, error.message) }
    }

    /// Ends the connection with a reason, which is sent to the encoder and logged.
    private func fail(_ context: ChannelHandlerContext, _ reason: String) {
        var metadata: Logger.Metadata = [
            "reason": "\(reason)", "client": "\(context.channel.remoteAddress?.ipAddress ?? "?")",
        ]
        if let stream = publication?.stream { metadata["stream"] = "\(stream)" }
        logger.warning("encoder disconnected", metadata: metadata)
        let isPublishing = publication != nil
        endPublication()
        close(context, sending: isPublishing ? session.refuse(reason) : [])
    }

    private func close(_ context: ChannelHandlerContext, sending bytes: [UInt8]) {
        isClosing = true
        send(bytes, context)
        // The output is half closed first, because closing with unread input would discard the reason.
        context.close(mode: .output, promise: nil)
        close(context, in: Self.closeTimeout)
    }

    private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        guard !bytes.isEmpty else { return }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }

    /// Closes the connection after a time, instead of at an earlier planned one.
    private func close(_ context: ChannelHandlerContext, in time: TimeAmount) {
        deadline?.cancel()
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    /// Closes the connection when nothing has arrived for a while.
    ///
    /// The time is checked now and then, because a timer for each input would cost more than the input.
    private func closeAfterSilence(_ context: ChannelHandlerContext) {
        let silence = context.eventLoop.now - lastInput
        guard silence < limits.silenceTimeout else { return context.close(promise: nil) }
        deadline?.cancel()
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: limits.silenceTimeout - silence) {
            self.closeAfterSilence(context)
        }
    }
}
