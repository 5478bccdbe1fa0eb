internal import FrontParsers
package import NIOCore
package import NIOHTTP1

/// The handler of the HTTP requests on a connection, which writes the responses in the order of the requests.
///
/// A connection is closed if no request arrives in time, or if the client does not read its responses in
/// time. While responses wait to be read, no further request is read.
package final class HTTPRequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// The maximum number of queued parts of pipelined requests; a connection that exceeds it is closed.
    ///
    /// Nothing more is read while parts are queued. Few clients pipeline requests, and each request may have 100 header
    /// fields.
    private static let maximumBacklog = 64
    /// The maximum number of body bytes that are skipped if no body is expected.
    ///
    /// Closing the connection instead would cause a TCP reset, which may discard the response.
    private static let maximumIgnoredBody = 65_536

    private enum Phase { case idle, receiving, answering, closing }

    package var wheelSeat = TimerWheelSeat()
    private(set) var remoteAddress: SocketAddress?
    /// The rate-limit allowance of the client's address; nil if the address is not limited.
    let allowance: AddressAllowance?
    private let front: FrontServer
    private var context: ChannelHandlerContext?
    private var phase = Phase.idle
    private var exchange: HTTPExchange?
    private var body = ByteBuffer()
    /// The record of a body that is incomplete; nil until there is such a body.
    private var incomplete: IncompleteInput?
    private var backlog = CircularBuffer<HTTPServerRequestPart>()
    private var isDraining = false
    private var isWritable = true
    /// Whether a read of the channel was requested while reading was not permitted (see `mayRead`).
    private var isReadHeldBack = false
    /// Whether reading is paused until the receiver of a body is ready for more.
    private var isPaused = false
    private var decoderEnd = DecoderEnd()
    private var bodyDeadline = BodyDeadline()
    /// The response that is being sent in parts.
    private var stream: ResponseStream?
    private var sent = WrittenBytes()
    package var queueSeat = ClientQueueSeat()

    init(_ front: FrontServer, allowance: AddressAllowance?) {
        self.front = front
        self.allowance = allowance
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        remoteAddress = context.remoteAddress
        startTimer(front.requestTimeout)
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        front.wheel.cancel(self)
        front.queues.remove(self)
        incomplete?.finish()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        phase = .closing
        endStream()
        exchange?.abort()
        exchange = nil
        front.wheel.cancel(self)
        // If a channel closes during a read, `channelReadComplete` is not called.
        front.batch.endReading()
        context.fireChannelInactive()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        front.batch.beginReading()
        let part = unwrapInboundIn(data)
        decoderEnd.pass(part)
        if phase == .answering || !isWritable || !backlog.isEmpty {
            guard backlog.count < Self.maximumBacklog else { return context.close(promise: nil) }
            backlog.append(part)
        } else {
            receive(part)
        }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        front.batch.endReading()
        context.fireChannelReadComplete()
    }

    package func read(context: ChannelHandlerContext) {
        if mayRead { context.read() } else { isReadHeldBack = true }
    }

    private var mayRead: Bool { isWritable && !isPaused && !decoderEnd.isReached && backlog.isEmpty }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        if isWritable {
            resetTimer()
            drainSoon()
            readHeldBack(context)
            stream?.allowNextPart()
        } else {
            startTimer(front.requestTimeout)
        }
        context.fireChannelWritabilityChanged()
    }

    private func resetTimer() {
        switch phase {
        case .idle: startTimer(front.idleTimeout)
        case .receiving where isPaused: front.wheel.cancel(self)
        case .receiving: front.wheel.set(self, to: bodyDeadline.time)
        case .answering: front.wheel.cancel(self)
        case .closing: break
        }
    }

    /// Closes the connection after `limit`, unless the timer is set again before.
    private func startTimer(_ limit: TimeAmount) { front.wheel.set(self, to: front.eventLoop.now + limit) }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        let isBusy = phase == .answering || exchange?.bodyReceiver != nil
        if event is ChannelShouldQuiesceEvent, !isBusy { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError, stream == nil, phase == .idle || phase == .receiving else {
            return context.close(promise: nil)
        }
        // A malformed request gets a response too.
        let head = exchange?.head ?? HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
        // The rest of the request cannot be received.
        exchange?.abort()
        write(HTTPReply(.badRequest), to: head)
    }

    private func receive(_ part: HTTPServerRequestPart) {
        switch (phase, part) {
        case (.idle, .head(let head)): begin(head)
        case (.receiving, .body(var bytes)):
            if let receiver = exchange?.bodyReceiver { return pass(bytes, to: receiver) }
            body.writeBuffer(&bytes)
            noteIncompleteBody()
            checkLength(body.readableBytes)
        case (.receiving, .end):
            guard let exchange else { return }
            phase = .answering
            resetTimer()
            if let receiver = exchange.bodyReceiver { return receiver.bodyDidEnd() }
            let body = body
            self.body = ByteBuffer()
            incomplete?.finish()
            front.answer(exchange, body, on: self)
        case (.idle, _), (.receiving, _), (.answering, _), (.closing, _): break
        }
    }

    private func noteIncompleteBody() {
        let record = incomplete ?? IncompleteInput(front) { [weak self] in self?.timeIsUp(.now()) }
        incomplete = record
        record.note(bytes: body.storageCapacity, from: exchange.flatMap { front.client(of: $0) })
    }

    private func begin(_ head: HTTPRequestHead) {
        let exchange = HTTPExchange(head, front: front, handler: self)
        self.exchange = exchange
        phase = .receiving
        bodyDeadline.begin(at: front.eventLoop.now, within: front.requestTimeout)
        resetTimer()
        guard head.uri.utf8.count <= FrontServer.maximumTargetLength else {
            return exchange.respond(HTTPReply(.uriTooLong))
        }
        front.begin(exchange)
        guard exchange.isPending, exchange.bodyReceiver == nil else { return }
        if let timeout = exchange.bodyTimeout {
            bodyDeadline.shorten(to: timeout)
            resetTimer()
        }
        checkLength(head.headers.first(name: "content-length").map { Int($0) ?? .max } ?? 0)
        if exchange.isPending { sendContinue(to: exchange) }
    }

    /// Sends `100 Continue` if the client waits for permission to send the body (RFC 9110 §10.1.1).
    private func sendContinue(to exchange: HTTPExchange) {
        guard !exchange.hasContinued, stream == nil, exchange.head.version == .http1_1 else { return }
        exchange.hasContinued = true
        guard exchange.expectsContinue else { return }
        context?.writeAndFlush(
            wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")),
            promise: nil
        )
    }

    private func checkLength(_ length: Int) {
        guard let exchange, length > (exchange.maximumBody ?? Self.maximumIgnoredBody) else { return }
        exchange.respond(HTTPReply(.payloadTooLarge))
    }
}

extension HTTPRequestHandler {
    /// Writes the response to an exchange, then continues with the next request or closes the connection.
    func write(_ response: HTTPReply, to exchange: HTTPExchange) {
        guard exchange === self.exchange else { return }
        self.exchange = nil
        guard keepsConnection(after: response, to: exchange) else {
            return write(response, to: exchange.head)
        }
        prepareNextRequest()
        // The response is sent after the idle timer is set, because sending may replace that timer with the timeout for
        // reading the response.
        send(response, to: exchange.head, isKeptAlive: true)
        drainSoon()
    }

    private func keepsConnection(after response: HTTPReply, to exchange: HTTPExchange) -> Bool {
        phase == .answering && exchange.head.isKeepAlive && !response.endsConnection
            && !exchange.endsRequests && !front.isShuttingDown
    }

    private func prepareNextRequest() {
        phase = .idle
        unpause()
        resetTimer()
    }

    /// Writes the last response of the connection, then closes the connection.
    private func write(_ response: HTTPReply, to head: HTTPRequestHead) {
        closeOutput { send(response, to: head, isKeptAlive: false, promise: $0) }
    }

    /// Calls `write` to send the last output, and closes the connection when the promise given to `write` succeeds.
    private func closeOutput(after write: (EventLoopPromise<Void>) -> Void) {
        guard let context else { return }
        let isRead = phase == .answering && backlog.isEmpty
        phase = .closing
        exchange = nil
        backlog = []
        unpause()
        startTimer(front.requestTimeout)
        let isSent = context.eventLoop.makePromise(of: Void.self)
        isSent.futureResult.assumeIsolated().whenSuccess { _ in
            if isRead { return context.close(promise: nil) }
            // Closing immediately could cause a TCP reset, which discards the response, while the client is still
            // sending.
            context.close(mode: .output, promise: nil)
            self.startTimer(.seconds(1))
        }
        write(isSent)
    }

    private func send(
        _ response: HTTPReply,
        to head: HTTPRequestHead,
        isKeptAlive: Bool,
        promise: EventLoopPromise<Void>? = nil
    ) {
        let bytes = serialized(response, to: head, isKeptAlive: isKeptAlive)
        context?.writeAndFlush(wrapOutboundOut(bytes), promise: promise)
        sent.add(bytes.readableBytes)
        if sent.isWorthAsking { lookAtQueue() }
    }

    /// Serializes a response, with the header fields of the access policy.
    private func serialized(
        _ response: HTTPReply,
        to head: HTTPRequestHead,
        isKeptAlive: Bool
    ) -> ByteBuffer {
        var response = response
        response.headers.add(contentsOf: front.access.headers(for: head))
        return response.serialized(to: head, isKeptAlive: isKeptAlive)
    }

    /// Handles queued requests in a later iteration of the event loop, after the responding code has
    /// returned.
    private func drainSoon() {
        guard !isDraining, !backlog.isEmpty, let context else { return }
        isDraining = true
        context.eventLoop.assumeIsolated().execute {
            while self.phase != .answering, self.isWritable, !self.backlog.isEmpty {
                self.receive(self.backlog.removeFirst())
            }
            self.isDraining = false
            self.context.map(self.readHeldBack)
        }
    }

    /// Upgrades the connection to WebSocket, and replaces this handler by `transport`.
    ///
    /// - Throws: `UpgradeError` if the request is not a valid WebSocket handshake.
    package func upgrade(to transport: some ChannelInboundHandler) throws {
        guard let context, let exchange,
            let headers = WebSocketHandshake.headers(for: exchange.head, on: context.channel)
        else { throw UpgradeError() }
        let pipeline = context.pipeline.syncOperations
        let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
        let response = HTTPReply(.switchingProtocols, headers: headers)
        let bytes = serialized(response, to: exchange.head, isKeptAlive: true)
        context.write(wrapOutboundOut(bytes), promise: nil)
        try pipeline.addHandler(transport, position: .after(self))
        decoderEnd = DecoderEnd()
        unpause()
        pipeline.removeHandler(self, promise: nil)
        self.exchange = nil
        // Bytes after the request are passed to the transport, but `channelReadComplete` is not called for
        // them.
        let isHandedOn = context.eventLoop.makePromise(of: Void.self)
        let batch = front.batch
        isHandedOn.futureResult.assumeIsolated().whenComplete { _ in batch.endReading() }
        pipeline.removeHandler(context: decoder, promise: isHandedOn)
    }
}

extension HTTPRequestHandler {
    /// Pauses reading from the client until its request has been answered, or `resumeReading(of:)` is called.
    func pauseReading() {
        guard !isPaused else { return }
        isPaused = true
        guard phase == .receiving else { return }
        bodyDeadline.beginPause(at: front.eventLoop.now)
        front.wheel.cancel(self)
    }

    /// Resumes reading the body of an exchange after a pause.
    func resumeReading(of exchange: HTTPExchange) {
        guard exchange === self.exchange, isPaused else { return }
        unpause()
        guard phase == .receiving else { return }
        sendContinue(to: exchange)
        bodyDeadline.endPause(at: front.eventLoop.now)
        resetTimer()
    }

    private func unpause() {
        isPaused = false
        if let context { readHeldBack(context) }
    }

    private func readHeldBack(_ context: ChannelHandlerContext) {
        guard isReadHeldBack, mayRead else { return }
        isReadHeldBack = false
        context.read()
    }

    private func pass(_ bytes: ByteBuffer, to receiver: any RequestBodyReceiver) {
        if bodyDeadline.receive(bytes.readableBytes, at: front.eventLoop.now) { resetTimer() }
        if !receiver.receive(bytes) { pauseReading() }
    }
}

extension HTTPRequestHandler {
    /// Writes the head of a response whose body follows in parts; `length` is in bytes, nil if unknown.
    func start(_ response: HTTPReply, length: Int?, to exchange: HTTPExchange) {
        guard exchange === self.exchange, let context else { return }
        let isChunked = length == nil && exchange.head.version == .http1_1
        let keepsConnection =
            keepsConnection(after: response, to: exchange) && (length != nil || isChunked)
        stream = ResponseStream(keepsConnection: keepsConnection, isChunked: isChunked, remaining: length)
        var response = response
        response.length = isChunked ? .chunked : length.map { .known($0) } ?? .untilClose
        let bytes = serialized(response, to: exchange.head, isKeptAlive: keepsConnection)
        context.write(wrapOutboundOut(bytes), promise: nil)
        sent.add(bytes.readableBytes)
    }

    /// Writes a part of a response's body; nil if it cannot be sent any more.
    ///
    /// The future is complete when another part may be written.
    func send(_ part: ByteBuffer, of exchange: HTTPExchange) -> EventLoopFuture<Void>? {
        guard exchange === self.exchange, let stream, let context else { return nil }
        let count = part.readableBytes
        guard count > 0 else { return context.eventLoop.makeSucceededVoidFuture() }
        if let remaining = stream.remaining {
            guard count <= remaining else { return nil }
            self.stream?.remaining = remaining - count
        }
        if stream.isChunked {
            let size = ByteBuffer(string: String(count, radix: 16) + "\r\n")
            context.write(wrapOutboundOut(size), promise: nil)
            context.write(wrapOutboundOut(part), promise: nil)
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "\r\n")), promise: nil)
        } else {
            context.writeAndFlush(wrapOutboundOut(part), promise: nil)
        }
        sent.add(count)
        if sent.isWorthAsking { lookAtQueue() }
        guard !isWritable else { return context.eventLoop.makeSucceededVoidFuture() }
        let promise = context.eventLoop.makePromise(of: Void.self)
        self.stream?.nextPart = promise
        return promise.futureResult
    }

    /// Ends the body of a response; the connection is closed if the body is shorter than announced.
    func finish(_ exchange: HTTPExchange) {
        guard exchange === self.exchange, let stream, let context else { return }
        guard stream.remaining ?? 0 == 0 else { return cancel(exchange) }
        self.stream = nil
        self.exchange = nil
        let end = ByteBuffer(string: stream.isChunked ? "0\r\n\r\n" : "")
        guard stream.keepsConnection, phase == .answering, !front.isShuttingDown else {
            return closeOutput { context.writeAndFlush(wrapOutboundOut(end), promise: $0) }
        }
        prepareNextRequest()
        context.writeAndFlush(wrapOutboundOut(end), promise: nil)
        drainSoon()
    }

    /// Closes the connection of an exchange that cannot be completed.
    func cancel(_ exchange: HTTPExchange) {
        if exchange === self.exchange { context?.close(promise: nil) }
    }

    private func endStream() {
        stream?.nextPart?.fail(ChannelError.ioOnClosedChannel)
        stream = nil
    }
}

extension HTTPRequestHandler: ClientQueue {
    package func lookAtQueue() {
        let (waiting, hasProgress) = sent.look(at: context?.channel)
        front.queues.note(self, bytes: waiting, hasProgress: hasProgress)
    }

    package func dropQueue(_ reason: SlowClient) {
        guard let context else { return }
        front.slowConsumerClosed(reason)
        context.eventLoop.assumeIsolated().execute { self.context?.close(promise: nil) }
    }
}

extension HTTPRequestHandler: TimerWheelEntry {
    package func timeIsUp(_ now: NIODeadline) { context?.close(promise: nil) }
}

/// An error for a request that is no valid WebSocket handshake, or whose exchange has ended.
package struct UpgradeError: Error {}
