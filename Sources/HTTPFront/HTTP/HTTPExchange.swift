package import FrontParsers
package import NIOCore
package import NIOHTTP1

/// A request that is answered exactly once, immediately or later.
package final class HTTPExchange {
    package let head: HTTPRequestHead
    package let target: RequestTarget
    let route: FrontRoute
    /// The maximum length of the request's body in bytes; nil if no body is expected.
    package var maximumBody: Int?
    /// The object to notify of the exchange's end.
    package weak var waiter: (any HTTPExchangeWaiter)?
    private weak var handler: HTTPRequestHandler?

    init(_ head: HTTPRequestHead, front: FrontServer, handler: HTTPRequestHandler) {
        self.head = head
        target = RequestTarget(head.uri)
        route = front.route(head, to: target)
        self.handler = handler
    }

    /// Whether the request is unanswered and the client still connected.
    package var isPending: Bool { handler != nil }

    /// The remote address of the connection; nil if unknown.
    package var remoteAddress: SocketAddress? { handler?.remoteAddress }

    /// The rate-limit allowance of the client's address; nil if the address is not limited.
    var allowance: AddressAllowance? { handler?.allowance }

    package func respond(_ response: HTTPReply) {
        guard let handler else { return }
        self.handler = nil
        waiter?.exchangeWillEnd(self)
        handler.write(response, to: self)
    }

    /// Ends the exchange because the connection has closed.
    func abort() {
        guard handler != nil else { return }
        handler = nil
        waiter?.exchangeWasAborted(self)
    }
}

/// An object that answers a request later.
package protocol HTTPExchangeWaiter: AnyObject {
    /// Called right before the response is sent, even if another object sends it.
    func exchangeWillEnd(_ exchange: HTTPExchange)
    func exchangeWasAborted(_ exchange: HTTPExchange)
}
