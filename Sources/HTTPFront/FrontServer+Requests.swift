internal import FrontParsers
internal import NIOCore
internal import NIOHTTP1

extension FrontServer {
    /// Handles the head of a request before its body arrives.
    func begin(_ exchange: HTTPExchange) {
        if case .service(let service) = exchange.route { return service.begin(exchange) }
        // Without clear framing, the end of the body is unknown, so the connection is closed after the response.
        guard exchange.hasClearFraming else { return refuse(exchange) }
        // A client that waits for permission to send the body is refused before it sends the body.
        if exchange.expectsContinue { refuse(exchange) }
    }

    /// Answers a complete request, immediately or later.
    func answer(_ exchange: HTTPExchange, _ body: ByteBuffer, on handler: HTTPRequestHandler) {
        guard case .service(let service) = exchange.route else { return refuse(exchange) }
        service.answer(exchange, body, on: handler)
    }

    /// Answers a request that belongs to no service.
    private func refuse(_ exchange: HTTPExchange) {
        switch exchange.route {
        case .service: break
        case .forbidden(let refusal):
            countForbidden(refusal, exchange.head.headers)
            let reply = HTTPReply(.forbidden, code: 4, message: refusal.message, to: exchange.head)
            respond(to: exchange, reply)
        case .malformed:
            respond(to: exchange, HTTPReply(.badRequest, code: 3, message: "Bad request", to: exchange.head))
        case .preflight: respond(to: exchange, HTTPReply(preflight: exchange.head))
        case .methodNotAllowed:
            respond(to: exchange, HTTPReply(.methodNotAllowed, headers: ["Allow": "GET, HEAD"]))
        case .nowhere: respond(to: exchange, HTTPReply(.notFound, type: "text/plain", body: "not found\n"))
        }
    }

    /// Answers a request outside of any session; a client that has exceeded the message limit gets status 429 instead.
    package func respond(to exchange: HTTPExchange, _ reply: HTTPReply) {
        if admit(exchange) { exchange.respond(reply) }
    }

    /// Counts a request outside of any session as a message from its client's address.
    ///
    /// A request beyond the limit is answered with status 429, and the result is false.
    package func admit(_ exchange: HTTPExchange) -> Bool {
        guard let allowance = allowance(of: exchange), !allowance.takeMessage(at: eventLoop.now) else {
            return true
        }
        countFlood()
        var reply = HTTPReply(tryAgain: .tooManyRequests)
        // The client needs a new connection, which is checked against the limits before anything is read from
        // it.
        reply.endsConnection = true
        exchange.respond(reply)
        return false
    }
}
