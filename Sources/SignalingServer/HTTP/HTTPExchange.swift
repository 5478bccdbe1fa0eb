internal import NIOCore
internal import NIOHTTP1

/// A request that is to be answered, at once or later; once only.
final class HTTPExchange {
    let head: HTTPRequestHead
    let route: RequestRoute
    /// Bytes that its body may have; nil where none is wanted.
    var maximumBody: Int?
    /// Told when the client goes before it has been answered.
    weak var waiter: (any HTTPExchangeWaiter)?
    private weak var handler: HTTPRequestHandler?

    init(_ head: HTTPRequestHead, route: RequestRoute, handler: HTTPRequestHandler) {
        self.head = head
        self.route = route
        self.handler = handler
    }

    /// Whether the answer has not been given yet, and somebody is there for it.
    var isPending: Bool { handler != nil }

    /// Where the connection comes from; nil where that is not known.
    var remoteAddress: SocketAddress? { handler?.remoteAddress }

    /// What the client's address may still do; nil where nothing limits it.
    var allowance: AddressAllowance? { handler?.allowance }

    func respond(_ response: HTTPReply) {
        guard let handler else { return }
        self.handler = nil
        waiter?.exchangeWillEnd(self)
        handler.write(response, to: self)
    }

    /// The connection has ended.
    func abort() {
        guard handler != nil else { return }
        handler = nil
        waiter?.exchangeWasAborted(self)
    }
}

/// What answers a request later.
protocol HTTPExchangeWaiter: AnyObject {
    /// It is answered now, perhaps by somebody else.
    func exchangeWillEnd(_ exchange: HTTPExchange)
    func exchangeWasAborted(_ exchange: HTTPExchange)
}
