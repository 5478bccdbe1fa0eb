internal import NIOCore

/// One connection to Redis: commands go out in their order, and answers come back in the same.
///
/// Confined to the channel's event loop.
final class RedisConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private struct Pending {
        /// Nil where nobody wants to know the answer.
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
    /// Whether it ends as soon as nothing is to be answered any more.
    private var isEnding = false
    private var isWatching = false
    private var error: RedisError?
    private var isOver = false
    /// Takes what comes unasked, once something is subscribed to.
    var onMessage: ((RESPValue) -> Void)?
    /// Takes what Redis refuses of commands of which nobody wants to know the answer.
    var onRefusal: ((String) -> Void)?
    /// Is called once, when the connection is over, and before the commands fail that have no answer yet: so many.
    var onClose: ((_ reason: RedisError, _ unanswered: Int) -> Void)?

    init(_ configuration: RedisConfiguration, _ channel: any Channel) {
        self.channel = channel
        timeout = TimeAmount(configuration.timeout)
        parser = RESPParser(maximumBulk: configuration.maximumBulk)
    }

    /// Takes its place in the channel.
    ///
    /// - Throws: `ChannelError` where the channel is closed already.
    func start() throws { try channel.pipeline.syncOperations.addHandler(self) }

    /// Looks whether the oldest answer comes in time; one timer, however much is asked.
    private func watch() {
        guard !isWatching, let first = pending.first else { return }
        isWatching = true
        channel.eventLoop.assumeIsolated().scheduleTask(deadline: first.deadline) { [weak self] in
            guard let self, !isOver else { return }
            isWatching = false
            if let first = pending.first, first.deadline <= .now() { close(.timeout) } else { watch() }
        }
    }

    /// Sends a command; the promise gets its answer, and what Redis refuses as a failure.
    func send(_ command: RedisCommand, promise: EventLoopPromise<RESPValue>?) {
        guard !isOver else {
            promise?.fail(error ?? .closed)
            return
        }
        pending.append(Pending(promise: promise, deadline: .now() + timeout))
        watch()
        write(command)
    }

    /// Sends a command that has no answer of its own, but messages.
    func subscribe(_ command: RedisCommand) {
        guard !isOver else { return }
        write(command)
    }

    /// Asks whether a connection that is only listened to still lives; where two such questions have no answer, it does
    /// not.
    ///
    /// They are counted, because time passes also for a process that is stopped.
    func checkLife() {
        guard unansweredPings < 2 else { return close(.timeout) }
        unansweredPings += 1
        subscribe(RedisCommand("PING"))
    }

    /// What is written in one turn of the loop goes out together.
    private func write(_ command: RedisCommand) {
        channel.write(command.encoded, promise: nil)
        guard !isFlushing else { return }
        isFlushing = true
        channel.eventLoop.assumeIsolated().execute { [weak self] in
            self?.isFlushing = false
            self?.channel.flush()
        }
    }

    /// Closes when all is answered, and at the latest when the time is over.
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
        take(unwrapInboundIn(data))
    }

    private func take(_ bytes: ByteBuffer) {
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
            // To a subscription Redis says no by an error that answers nothing else.
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
