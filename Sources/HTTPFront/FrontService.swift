package import NIOCore

/// A service that answers the requests for its paths, on the event loop of its server.
package protocol FrontService: AnyObject {
    /// The number of sessions that are open, for the log.
    var sessionCount: Int { get }

    /// Whether the paths of the service are documents to which pages of other sites may link.
    var hasDocuments: Bool { get }

    /// Determines whether the service answers requests for a path, which is not percent-decoded.
    func owns(_ path: String) -> Bool

    /// Handles the head of a request before its body arrives.
    ///
    /// If the service expects a body, it sets the exchange's `maximumBody`, or receives the body in parts. It
    /// may also answer immediately.
    func begin(_ exchange: HTTPExchange)

    /// Answers a complete request, immediately or later, or upgrades the connection.
    func answer(_ exchange: HTTPExchange, _ body: ByteBuffer, on handler: HTTPRequestHandler)

    /// Begins to stop, before any connection is closed; the server's shutdown waits for the future.
    func prepareShutDown() -> EventLoopFuture<Void>

    /// Closes the sessions.
    func closeSessions()

    /// Removes the remaining sessions; called after all connections have ended.
    func removeSessions()
}

/// The destination of a request.
package enum FrontRoute {
    case service(any FrontService)
    /// A request without a valid host.
    case malformed
    /// A request from a page, or for a host, that the server does not answer.
    case forbidden(AccessRefusal)
    case preflight, methodNotAllowed
    /// A request for a path that no service owns.
    case nowhere
}
