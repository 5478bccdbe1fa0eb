internal import FrontParsers
internal import Hummingbird
internal import NIOCore
internal import NIOHTTP1

/// A request that a task answers for a service.
///
/// Confined to the event loop.
final class RoutedRequest: HTTPExchangeWaiter {
    let exchange: HTTPExchange
    private let service: RoutedService
    private let allowance: AddressAllowance?
    private var result: RequestResult?
    private var isEnded = false

    init(_ exchange: HTTPExchange, of service: RoutedService, _ allowance: AddressAllowance?) {
        self.exchange = exchange
        self.service = service
        self.allowance = allowance
        exchange.waiter = self
    }

    func respond(_ reply: HTTPReply) {
        result = RequestResult(status: reply.status.code)
        service.counts.sentBytes += reply.body.readableBytes
        exchange.respond(reply)
    }

    /// Answers a `HEAD` with the length that the body of a `GET` would have; nil if it is unknown.
    func respond(_ reply: HTTPReply, announcing length: Int?) {
        var reply = reply
        reply.length = length.map { .known($0) } ?? .chunked
        respond(reply)
    }

    /// Begins a response in parts, of which `send(_:)` and `finish()` send the body.
    func start(_ reply: HTTPReply, length: Int?) {
        result = RequestResult(status: reply.status.code)
        exchange.start(reply, length: length)
    }

    /// Sends a part of the body; the future is complete when the next one may be sent.
    func send(_ part: ByteBuffer) -> EventLoopFuture<Void> {
        guard let sent = exchange.send(part) else {
            exchange.cancel()
            return service.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
        }
        service.counts.sentBytes += part.readableBytes
        return sent
    }

    func finish() {
        exchange.finish()
        end()
    }

    /// Answers with status 500 if nothing has been sent, else closes the connection, because the answer cannot
    /// be completed.
    func cancel() {
        if exchange.isPending {
            respond(HTTPReply(.internalServerError, type: "text/plain", body: "internal server error\n"))
        } else {
            exchange.cancel()
        }
    }

    /// Upgrades the connection to a WebSocket of the service, or refuses it if there are too many.
    func upgrade(_ makeDelegate: () -> any ServiceSocketDelegate) {
        guard exchange.isPending else { return }
        guard let seat = service.seatOfSocket(for: exchange) else {
            return respond(HTTPReply(.serviceUnavailable, headers: ["Retry-After": "1"]))
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

    func exchangeWillEnd(_ exchange: HTTPExchange) {
        // A response in parts has only begun.
        if !exchange.isStreaming { end() }
    }

    func exchangeWasAborted(_ exchange: HTTPExchange) {
        result = .aborted
        end()
    }

    private func end() {
        guard !isEnded else { return }
        isEnded = true
        allowance?.close()
        service.requestDidEnd(result ?? .aborted)
    }
}
