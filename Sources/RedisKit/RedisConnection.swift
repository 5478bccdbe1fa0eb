internal import NIOCore

/// One connection to Redis, which sends commands in order and receives their replies in the same order.
///
/// It must be used only on the channel's event loop.
final class RedisConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private struct Pending {
        /// The promise of the reply; nil if only an error reply is of interest.
        let promise: EventLoopPromise<RESPValue>?
        let deadline: NIODeadline
    }

    private let channel: any Channel
    private let timeout: TimeAmount
    private var parser: RESPParser
    private var unread = ByteBuffer()
    private var pending = CircularBuffer<Pending>()
    private var isFlushing = false
    private var unansweredPings = 0
    /// Whether the connection closes as soon as no reply is pending.
    private var isEnding = false
    private var isWatching = false
    private var error: RedisError?
    private var isOver = false
    /// Receives the messages and confirmations of subscriptions, and the replies to pings; nil before the
    /// connection subscribes.
    var onMessage: ((RESPValue) -> Void)?
    /// Receives the error replies to commands sent without a promise.
    var onRefusal: ((String) -> Void)?
    /// Called once when the connection has ended, before its pending commands fail; `unanswered` is their
    /// number.
    var onClose: ((_ reason: RedisError, _ unanswered: Int) -> Void)?

    init(_ configuration: RedisConfiguration, _ channel: any Channel) {
        self.channel = channel
        timeout = TimeAmount(configuration.timeout)
        parser = RESPParser(maximumBulk: configuration.maximumBulk)
    }

    /// Adds the connection to its channel's pipeline.
    ///
    /// - Throws: `ChannelError` if the channel is closed already.
    func start() throws { try channel.pipeline.syncOperations.addHandler(self) }

    /// Starts a timer, shared by all commands, that closes the connection if the oldest pending reply is
    /// late.
    private func watch() {
        guard !isWatching, let first = pending.first else { return }
        isWatching = true
        channel.eventLoop.assumeIsolated().scheduleTask(deadline: first.deadline) { [weak self] in
            guard let self, !isOver else { return }
            isWatching = false
            if let first = pending.first, first.deadline <= .now() { close(.timeout) } else { watch() }
        }
    }

    /// Sends a command; the promise succeeds with the reply, or fails with `RedisError`: `refused` for an
    /// error reply, otherwise the reason why the connection has ended.
    func send(_ command: RedisCommand, promise: EventLoopPromise<RESPValue>?) {
        guard !isOver else {
            promise?.fail(error ?? .closed)
            return
        }
        pending.append(Pending(promise: promise, deadline: .now() + timeout))
        watch()
        write(command)
    }

    /// Sends a command whose results are received as messages instead of a reply.
    func subscribe(_ command: RedisCommand) {
        guard !isOver else { return }
        write(command)
    }

    /// Pings Redis on a connection with subscriptions, and closes the connection if two pings are unanswered.
    ///
    /// Pings are counted instead of timed, because time also passes while the process is suspended.
    func checkLife() {
        guard unansweredPings < 2 else { return close(.timeout) }
        unansweredPings += 1
        subscribe(RedisCommand("PING"))
    }

    /// Writes a command; commands written in one iteration of the event loop are flushed together.
    private func write(_ command: RedisCommand) {
        channel.write(command.encoded, promise: nil)
        guard !isFlushing else { return }
        isFlushing = true
        channel.eventLoop.assumeIsolated().execute { [weak self] in
            self?.isFlushing = false
            self?.channel.flush()
        }
    }

    /// Closes the connection when all replies have been received, or after `limit` at the latest.
    func end(within limit: TimeAmount) {
        isEnding = true
        guard !pending.isEmpty else { return close(.closed) }
        channel.eventLoop.assumeIsolated().scheduleTask(in: limit) { [weak self] in self?.close(.closed) }
    }

    func close(_ error: RedisError) {
        guard !isOver else { return }
        self.error = self.error ?? error
        channel.flush()
        channel.close(promise: nil)
        finish()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        handle(unwrapInboundIn(data))
    }

    private func handle(_ bytes: ByteBuffer) {
        var bytes = bytes
        unread.writeBuffer(&bytes)
        do throws(RESPError) {
            while !isOver, let value = try parser.next(from: &unread) { receive(value) }
            unread.discardReadBytes()
        } catch {
            close(.protocolViolation(error))
        }
    }

    private func receive(_ value: RESPValue) {
        unansweredPings = 0
        if let onMessage, value.items != nil { return onMessage(value) }
        guard let answered = pending.popFirst() else {
            // Redis rejects a subscription with an error reply, which belongs to no pending command.
            if case .error(let words) = value { return close(.refused(words)) }
            return close(.protocolViolation(.unasked))
        }
        if case .error(let words) = value {
            if let promise = answered.promise {
                promise.fail(RedisError.refused(words))
            } else {
                onRefusal?(words)
            }
        } else {
            answered.promise?.succeed(value)
        }
        if isEnding, pending.isEmpty { close(.closed) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if !channel.isWritable { close(.slow) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        close(.unreachable(ConnectionProblem.words(for: error)))
    }

    func channelInactive(context: ChannelHandlerContext) {
        close(.closed)
    }

    private func finish() {
        isOver = true
        let reason = error ?? .closed
        let unanswered = pending
        pending = []
        onClose?(reason, unanswered.count)
        for one in unanswered { one.promise?.fail(reason) }
        onClose = nil
        onMessage = nil
        onRefusal = nil
    }
}

extension TimeAmount {
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
