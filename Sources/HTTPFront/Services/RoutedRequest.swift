internal import FrontParsers
internal import Hummingbird
internal import NIOCore
internal import NIOHTTP1

/// A request that a task answers for a service.
///
/// Confined to the event loop. It ends when both its exchange and its task have ended.
final class RoutedRequest: HTTPExchangeWaiter {
    let exchange: HTTPExchange
    let place: RoutedService.Places.ID
    /// The pipe through which the body arrives; nil if the body is complete from the start.
    var pipe: RequestBodyPipe?
    private let service: RoutedService
    private let allowance: AddressAllowance?
    private var result: RequestResult?
    private var task: RequestTask?
    private var limit: Scheduled<Void>?
    private var hasExchangeEnded = false
    private var hasTaskEnded = false

    init(
        _ exchange: HTTPExchange,
        _ place: RoutedService.Places.ID,
        of service: RoutedService,
        _ allowance: AddressAllowance?
    ) {
        self.exchange = exchange
        self.place = place
        self.service = service
        self.allowance = allowance
        exchange.waiter = self
    }

    /// Whether the request waits for its client: for the rest of a body, or until the client has read the answer.
    var waitsForClient: Bool { exchange.isStreaming || pipe?.isOpen ?? false }

    /// Ends the request early, so that its place is free for others.
    func giveUp() {
        if exchange.isPending {
            respond(HTTPReply(tryAgain: .serviceUnavailable))
        } else {
            exchange.cancel()
        }
        task?.cancel()
    }

    /// Ends the request like `giveUp()` after the given time, unless it has ended by then.
    func giveUp(after time: TimeAmount) {
        guard !hasExchangeEnded else { return }
        limit?.cancel()
        limit = service.eventLoop.assumeIsolated().scheduleTask(in: time) { [weak self] in self?.giveUp() }
    }

    /// Records the task that answers the request; without a task, the request is refused.
    ///
    /// If the task has not answered within `limit`, it is cancelled, and the request is refused; nil stands
    /// for no limit.
    func begin(_ task: RequestTask?, within limit: TimeAmount?) {
        self.task = task
        guard task != nil else {
            hasTaskEnded = true
            return respond(HTTPReply(tryAgain: .serviceUnavailable))
        }
        guard let limit, !hasExchangeEnded else { return }
        self.limit = service.eventLoop.assumeIsolated().scheduleTask(in: limit) { [weak self] in
            self?.respond(HTTPReply(tryAgain: .serviceUnavailable))
            self?.task?.cancel()
        }
    }

    func respond(_ reply: HTTPReply) {
        guard exchange.isPending else { return }
        result = RequestResult(status: reply.status.code)
        service.counts.sentBytes += reply.body.readableBytes
        exchange.respond(reply)
    }

    /// Answers a `HEAD` request, announcing the length that the body of a `GET` would have; nil if it is unknown.
    func respond(_ reply: HTTPReply, announcing length: Int?) {
        var reply = reply
        let isChunked = exchange.head.version == .http1_1
        reply.length = length.map { .known($0) } ?? (isChunked ? .chunked : .untilClose)
        respond(reply)
    }

    /// Begins a response; `send(_:)` then sends the parts of its body, and `finish()` ends it.
    ///
    /// `length` is the size of the body in bytes; nil if unknown.
    ///
    /// A response whose status permits no body is sent completely.
    func start(_ reply: HTTPReply, length: Int?) {
        guard reply.status.permitsBody else { return respond(reply) }
        guard exchange.isPending else { return }
        result = RequestResult(status: reply.status.code)
        exchange.start(reply, length: length)
    }

    /// Sends a part of the body; the future is complete when the next one may be sent.
    ///
    /// If the part cannot be sent, the connection is closed, and the future fails with `ChannelError`.
    func send(_ part: ByteBuffer) -> EventLoopFuture<Void> {
        guard let sent = exchange.send(part) else {
            exchange.cancel()
            return service.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
        }
        service.countSent(part.readableBytes, of: self)
        return sent
    }

    func finish() {
        guard exchange.isStreaming else { return }
        exchange.finish()
        if !exchange.isStreaming { endExchange() }
    }

    /// Upgrades the connection to a WebSocket of the service, or refuses the request if no more WebSockets are
    /// admitted.
    func upgrade(_ makeDelegate: () -> any ServiceSocketDelegate) {
        guard exchange.isPending else { return }
        guard let seat = service.seatOfSocket(for: exchange) else {
            return respond(HTTPReply(tryAgain: .serviceUnavailable))
        }
        let socket = ServiceSocket(service, seat)
        do {
            result = .upgraded
            try exchange.upgrade(to: socket.handler)
            socket.open(makeDelegate())
        } catch {
            seat.allowance?.close()
            respond(HTTPReply(.badRequest, code: 3, message: "Bad request", to: exchange.head))
        }
    }

    /// Records the end of the task.
    ///
    /// If the task has sent nothing, the request is answered with status 500; if it has sent only a part of the
    /// response, the connection is closed.
    func taskDidEnd() {
        hasTaskEnded = true
        if exchange.isPending {
            respond(HTTPReply(.internalServerError, type: "text/plain", body: "internal server error\n"))
        } else if exchange.isStreaming {
            exchange.cancel()
        }
        endIfPossible()
    }

    func exchangeWillEnd(_ exchange: HTTPExchange) {
        // A response in parts has only begun.
        if !exchange.isStreaming { endExchange() }
    }

    func exchangeWasAborted(_ exchange: HTTPExchange) {
        result = .aborted
        task?.cancel()
        endExchange()
    }

    private func endExchange() {
        hasExchangeEnded = true
        limit?.cancel()
        limit = nil
        endIfPossible()
    }

    private func endIfPossible() {
        guard hasExchangeEnded, hasTaskEnded else { return }
        allowance?.close()
        service.requestDidEnd(self, result ?? .aborted)
    }
}
