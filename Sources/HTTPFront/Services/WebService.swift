package import Hummingbird

/// A service whose requests are answered in tasks, outside of the event loop.
package protocol WebService: Sendable {
    /// The name of the service in metrics and for `FrontServer.drain`.
    var name: String { get }

    var limits: ServiceLimits { get }

    /// Whether the paths of the service are documents to which pages of other sites may link.
    var hasDocuments: Bool { get }

    /// Whether the service answers only `GET` and `HEAD` requests without a body; other requests are refused before a
    /// task is started.
    var isReadOnly: Bool { get }

    /// Whether the WebSockets of the service stay open for a moment while it drains, so that it can answer the messages
    /// that it has accepted.
    var answersBeforeClosing: Bool { get }

    /// The number of entries that clients have stored since the start; nil if the service does not count them.
    var stored: Int? { get }

    /// Determines whether the service answers requests for a path, which is not percent-decoded.
    func owns(_ path: String) -> Bool

    /// Answers a request.
    ///
    /// Called for several requests at a time. A `HEAD` arrives as a `GET`, and the body of its answer is not
    /// sent.
    func respond(to request: Request, _ context: WebContext) async -> Response

    /// Decides whether a WebSocket is opened, before the connection is upgraded.
    func openSocket(_ request: Request, _ context: WebContext) async -> SocketDecision

    /// Runs the background work of the service, which belongs to no request, until the task is cancelled.
    func run() async

    /// Finishes the background work of the service before the server stops; cancelled after five seconds.
    func drain() async
}

extension WebService {
    package var limits: ServiceLimits { ServiceLimits() }

    package var hasDocuments: Bool { false }

    package var isReadOnly: Bool { false }

    package var answersBeforeClosing: Bool { false }

    package var stored: Int? { nil }

    package func openSocket(_ request: Request, _ context: WebContext) async -> SocketDecision {
        .refuse(Response(status: .notFound))
    }

    package func run() async {}

    package func drain() async {}
}

/// The answer to a request for a WebSocket.
package enum SocketDecision: Sendable {
    case refuse(Response)
    /// The connection is upgraded; the closure, which is called on the event loop, makes the WebSocket's
    /// delegate.
    case accept(@Sendable () -> any ServiceSocketDelegate)
}

/// The limits of one service, which are separate from those of other services.
package struct ServiceLimits: Sendable {
    /// The average number of requests that one address may send per minute, which is also the maximum burst; nil to
    /// count requests toward the server's limit on messages.
    package var requestsPerMinute: Int?
    /// The maximum number of requests that are answered at the same time.
    ///
    /// Beyond it, a request ends the slowest transfer of the address with the most requests, or is refused.
    package var requestsAtOnce = 256
    /// The maximum announced length in bytes of a body that is collected before its request counts as running; 0 to
    /// pass on all bodies as they arrive.
    ///
    /// Clients that send a collected body slowly therefore cannot keep others out.
    package var collectedBody = 0
    /// The time within which a collected body must arrive.
    package var collectedBodyTimeout = Duration.seconds(5)
    /// The maximum number of requests of one address that are answered at the same time; nil for no limit.
    package var requestsAtOncePerAddress: Int? = 64
    /// The maximum number of open WebSockets.
    package var sockets = 10_000
    /// The maximum number of open WebSockets of one address; nil for no limit.
    package var socketsPerAddress: Int?
    /// The average number of frames that a WebSocket may send per second; nil for no limit.
    package var messagesPerSecond: Int?
    /// The average number of bytes that a WebSocket may send per second; nil for no limit.
    package var bytesPerSecond: Int?
    /// The maximum number of bytes that may wait for the client of a WebSocket; nil for the server's maximum.
    package var maximumQueuedBytes: Int?
    /// The maximum length of a WebSocket's message in bytes.
    package var maximumMessage = 65_536
    /// The time without input after which a WebSocket is pinged.
    package var pingInterval = Duration.seconds(25)
    /// The time within which a ping must be answered.
    package var pingTimeout = Duration.seconds(20)
    /// The time within which the service must accept or refuse a request for a WebSocket.
    package var decisionTimeout = Duration.seconds(10)

    package init() {}
}
