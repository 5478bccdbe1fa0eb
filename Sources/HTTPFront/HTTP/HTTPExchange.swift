internal import FrontParsers
package import NIOCore
package import NIOHTTP1

/// A request that is answered exactly once: immediately or later, as a whole or in parts.
package final class HTTPExchange {
    private enum Phase { case pending, streaming, ended }

    package let head: HTTPRequestHead
    /// The path of the request's target, not percent-decoded.
    package let path: String
    /// The parameters of the request's query, percent-decoded.
    package private(set) lazy var query = RequestTarget(head.uri).query
    let route: FrontRoute
    /// Whether no further HTTP request can follow on the connection (RFC 9110 §7.8, §9.3.6).
    let endsRequests: Bool
    /// Whether the end of the body is unambiguous to every proxy and server; also false if the head is too expensive to
    /// check.
    let hasClearFraming: Bool
    /// The maximum length of the request's body in bytes; nil if no body is expected.
    package var maximumBody: Int?
    /// The time within which the request's body must be collected; nil for the request timeout of the server.
    var bodyTimeout: TimeAmount?
    /// The object to notify right before the response is sent, or when the exchange is aborted; nil for none.
    package weak var waiter: (any HTTPExchangeWaiter)?
    /// The receiver of the body as it arrives; nil if the body is collected.
    ///
    /// It is retained until the exchange ends.
    private(set) var bodyReceiver: (any RequestBodyReceiver)?
    /// Whether the server has begun to read the body, after sending `100 Continue` if the client waits for it.
    var hasContinued = false
    /// Whether the client waits for permission to send the body (RFC 9110 §10.1.1).
    var expectsContinue: Bool { head.headers.first(name: "expect")?.lowercased() == "100-continue" }
    private weak var handler: HTTPRequestHandler?
    private var phase = Phase.pending

    init(_ head: HTTPRequestHead, front: FrontServer, handler: HTTPRequestHandler) {
        endsRequests = head.endsRequests
        // A head that is too expensive to compare is replaced, so that its target and header fields are not read.
        let isSafe = head.isStreamSafe
        hasClearFraming = isSafe && head.hasClearFraming
        let head = isSafe ? head : HTTPRequestHead(version: head.version, method: head.method, uri: "/")
        self.head = head
        path = RequestTarget.path(of: head.uri)
        route = hasClearFraming ? front.route(head, to: path) : .malformed
        self.handler = handler
    }

    /// Whether the request is unanswered and the client still connected.
    package var isPending: Bool { phase == .pending && handler != nil }

    /// Whether the response has begun, and further parts of its body follow.
    var isStreaming: Bool { phase == .streaming }

    /// The remote address of the connection; nil if unknown.
    package var remoteAddress: SocketAddress? { handler?.remoteAddress }

    /// The rate-limit allowance of the client's address; nil if the address is not limited.
    var allowance: AddressAllowance? { handler?.allowance }

    package func respond(_ response: HTTPReply) {
        guard isPending, let handler else { return }
        end()
        waiter?.exchangeWillEnd(self)
        handler.write(response, to: self)
    }

    /// Ends the exchange because the connection has closed, or because the rest of the request is malformed.
    func abort() {
        guard phase != .ended else { return }
        end()
        waiter?.exchangeWasAborted(self)
    }

    private func end() {
        phase = .ended
        let receiver = bodyReceiver
        bodyReceiver = nil
        receiver?.bodyWasAborted()
    }
}

extension HTTPExchange {
    /// Passes the body to a receiver as it arrives, instead of collecting it.
    ///
    /// Nothing is read from the client before `resumeBody()`.
    func receiveBody(by receiver: any RequestBodyReceiver) {
        bodyReceiver = receiver
        handler?.pauseReading()
    }

    /// Starts to read the body, or resumes after the receiver has paused reading.
    func resumeBody() {
        guard phase != .ended else { return }
        handler?.resumeReading(of: self)
    }

    /// Begins a response whose body is sent in parts; `length` is that of the body in bytes, or nil if it is
    /// unknown.
    func start(_ response: HTTPReply, length: Int?) {
        guard isPending, let handler else { return }
        phase = .streaming
        waiter?.exchangeWillEnd(self)
        handler.start(response, length: length, to: self)
    }

    /// Sends a part of the body; nil if it cannot be sent any more.
    ///
    /// The future is complete when the next part may be sent, and fails if the client has disconnected.
    func send(_ part: ByteBuffer) -> EventLoopFuture<Void>? {
        phase == .streaming ? handler?.send(part, of: self) : nil
    }

    /// Ends a response whose body is sent in parts.
    func finish() {
        guard phase == .streaming, let handler else { return }
        end()
        handler.finish(self)
    }

    /// Closes the connection, because the rest of a response cannot be sent.
    func cancel() { handler?.cancel(self) }

    /// Upgrades the connection to WebSocket.
    ///
    /// - Throws: `UpgradeError`.
    func upgrade(to socket: some ChannelInboundHandler) throws {
        guard isPending, let handler else { throw UpgradeError() }
        try handler.upgrade(to: socket)
        end()
        waiter?.exchangeWillEnd(self)
    }
}

extension HTTPRequestHead {
    /// Whether either at most one `Content-Length` or only the chunked coding determines the end of the body (RFC 9112
    /// §6.3).
    ///
    /// Proxies interpret other combinations differently, so that a request could be smuggled in the body of another.
    fileprivate var hasClearFraming: Bool {
        let encodings = headers["transfer-encoding"]
        guard !encodings.isEmpty else { return headers["content-length"].count < 2 }
        // HTTP/1.0 has no chunks (§6.1).
        return version == .http1_1 && encodings.count == 1 && encodings[0].lowercased() == "chunked"
            && !headers.contains(name: "content-length")
    }
}

/// An object that answers a request later, and is notified when the exchange ends.
package protocol HTTPExchangeWaiter: AnyObject {
    /// Called right before the response or its head is sent, even if another object sends it.
    func exchangeWillEnd(_ exchange: HTTPExchange)
    func exchangeWasAborted(_ exchange: HTTPExchange)
}

/// An object that receives the body of a request in parts.
protocol RequestBodyReceiver: AnyObject {
    /// Receives a part of the body; false to pause reading until `resumeBody()`.
    func receive(_ part: ByteBuffer) -> Bool
    /// Called after the last part.
    func bodyDidEnd()
    /// Called when the exchange ends; has no effect after `bodyDidEnd()`.
    func bodyWasAborted()
}
