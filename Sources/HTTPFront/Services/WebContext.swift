package import Hummingbird
package import Logging
internal import NIOCore

/// The context in which a service answers a request.
package struct WebContext: RequestContext {
    package struct Source: RequestContextSource {
        package let logger: Logger
        /// The client's address, as reported by a trusted proxy if there is one; nil if unknown.
        package let client: String?
        package let isHead: Bool
        package let isSecure: Bool
        package let giveUp: @Sendable () -> Void
        package let limit: @Sendable (Duration) -> Void

        package init(
            logger: Logger,
            client: String? = nil,
            isHead: Bool = false,
            isSecure: Bool = false,
            giveUp: @escaping @Sendable () -> Void = {},
            limit: @escaping @Sendable (Duration) -> Void = { _ in }
        ) {
            self.logger = logger
            self.client = client
            self.isHead = isHead
            self.isSecure = isSecure
            self.giveUp = giveUp
            self.limit = limit
        }
    }

    /// Whether the client is on this computer.
    package var isOfThisComputer: Bool {
        let address = client.flatMap { try? SocketAddress(ipAddress: $0, port: 0) }
        return ClientAddress(address)?.isLoopback ?? false
    }

    package var coreContext: CoreRequestContextStorage
    package let client: String?
    /// Whether only the head of the answer is sent.
    package let isHead: Bool
    /// Whether the client speaks TLS with the server.
    package let isSecure: Bool
    /// Ends the request early to free its place: with status 503, or by closing the connection if the response has
    /// begun.
    package let giveUp: @Sendable () -> Void
    /// Ends the request as `giveUp` does, unless the client has read the response within the given time from now.
    package let limit: @Sendable (Duration) -> Void

    package init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        client = source.client
        isHead = source.isHead
        isSecure = source.isSecure
        giveUp = source.giveUp
        limit = source.limit
    }
}
