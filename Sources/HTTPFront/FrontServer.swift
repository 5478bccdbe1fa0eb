internal import Basics
internal import FrontParsers
package import Logging
package import NIOCore
internal import NIOHTTP1

/// An HTTP server: accepts connections, and routes their requests to its services.
///
/// Confined to one event loop, like everything that it owns.
package final class FrontServer {
    /// The high water mark of a channel's write buffer in bytes; further output waits in the transport.
    private static let socketBuffer = 131_072
    /// The maximum number of received bytes that the decoder buffers, for example after an upgrade request.
    private static let maximumUnread = 262_144
    /// The maximum length of a request's target in bytes.
    static let maximumTargetLength = 8192

    private let configuration: FrontConfiguration
    package let eventLoop: any EventLoop
    let logger: Logger
    package private(set) var access: AccessPolicy
    /// The queue of the work that services do in tasks.
    let tasks: RequestTasks
    package let wheel: TimerWheel
    package let batch: WriteBatch
    /// The output that clients have not read.
    package let queues: ClientQueues
    /// The messages and bodies that clients have not sent completely.
    package let inputs: ClientQueues
    private let limits: AddressLimits
    /// The counts since the start.
    package private(set) var counts = FrontCounts()
    /// The maximum number of connections, and separately of Engine.IO sessions.
    package let maximumConnections: Int
    private var services: [any FrontService] = []
    private var connections: [ObjectIdentifier: any Channel] = [:]
    private var drained: EventLoopPromise<Void>?
    private var refusalEntry = RepeatedEntry()
    private var floodEntry = RepeatedEntry()
    private var forbiddenEntry = RepeatedEntry()

    package init(
        _ configuration: FrontConfiguration,
        eventLoop: any EventLoop,
        tasks: RequestTasks,
        logger: Logger
    ) {
        self.configuration = configuration
        self.eventLoop = eventLoop
        self.tasks = tasks
        self.logger = logger
        access = configuration.access
        wheel = TimerWheel(resolution: configuration.timerResolution, eventLoop: eventLoop)
        batch = WriteBatch(eventLoop: eventLoop)
        queues = ClientQueues(
            budget: configuration.maximumQueuedBytesInAll,
            .largest,
            timeout: configuration.readTimeout,
            eventLoop: eventLoop
        )
        inputs = ClientQueues(
            budget: configuration.maximumIncompleteBytesInAll,
            .slowestOfHeaviest,
            timeout: configuration.messageTimeout,
            eventLoop: eventLoop
        )
        maximumConnections = configuration.maximumConnections ?? DescriptorLimit.current - 64
        limits = AddressLimits(
            configuration.rates,
            openConnections: configuration.connectionsPerAddress ?? max(1, maximumConnections / 4),
            inAll: maximumConnections
        )
    }

    /// Adds a service; if several services own a path, the one that was added first answers.
    package func add(_ service: any FrontService) { services.append(service) }

    /// Adds a service that answers in tasks.
    package func add(_ service: any WebService) { add(RoutedService(service, front: self)) }

    /// The counts of the services that answer in tasks.
    package var serviceCounts: [ServiceCounts] {
        services.compactMap { service in
            guard let service = service as? RoutedService else { return nil }
            var counts = service.counts
            counts.stored = service.service.stored
            return counts
        }
    }

    /// Whether clients speak TLS with the server.
    var isSecure: Bool { configuration.tls != nil }

    /// Drains one service that answers in tasks, without affecting the others.
    ///
    /// The future is complete when the service has no running requests, WebSockets or drain task, or after `limit`.
    package func drain(_ name: String, within limit: TimeAmount) -> EventLoopFuture<Void> {
        let named = services.compactMap { $0 as? RoutedService }.filter { $0.service.name == name }
        return EventLoopFuture.andAllComplete(named.map { $0.drain(within: limit) }, on: eventLoop)
    }

    /// Records whether the listening socket is bound to a loopback address, which a host name does not
    /// reveal.
    package func listens(onLoopback isOnLoopback: Bool) { access.isOnLoopback = isOnLoopback }

    /// Sets up an accepted connection.
    ///
    /// - Throws: `ChannelError` if there are too many connections, in total or of the client's address, if
    ///   the address opens them too fast, or if the server stops; the channel is then closed.
    package func accept(_ channel: any Channel) throws {
        guard connections.count < maximumConnections, !isShuttingDown else {
            countRefusal(isShuttingDown ? .draining : .tooMany)
            throw ChannelError.operationUnsupported
        }
        let isProxy = configuration.trustedProxies.contains(channel.remoteAddress)
        let allowance = isProxy ? nil : allowance(of: channel.remoteAddress)
        if let refusal = allowance?.open(at: eventLoop.now) {
            countRefusal(refusal)
            if refusal == .tooFastOfAddress { counts.rateLimited[.connections] += 1 }
            throw ChannelError.operationUnsupported
        }
        let id = ObjectIdentifier(channel)
        connections[id] = channel
        counts.connections += 1
        counts.connectionsAccepted += 1
        channel.closeFuture.assumeIsolated().whenComplete { _ in
            allowance?.close()
            self.connections[id] = nil
            self.counts.connections -= 1
            if self.connections.isEmpty { self.drained?.succeed() }
        }
        let high = min(Self.socketBuffer, configuration.maximumQueuedBytes)
        try channel.syncOptions?.setOption(.writeBufferWaterMark, value: .init(low: high / 2, high: high))
        try configurePipeline(of: channel, allowance)
    }

    private func allowance(of address: SocketAddress?) -> AddressAllowance? {
        limits.allowance(for: ClientAddress(address), at: eventLoop.now)
    }

    /// Finds the rate-limit allowance of the client that sent a request; nil if the client is not limited.
    package func allowance(of exchange: HTTPExchange) -> AddressAllowance? {
        guard let client = reportedClient(of: exchange) else { return exchange.allowance }
        return allowance(of: client)
    }

    /// Finds the client that sent a request: the one that a trusted proxy reports, or else the peer of the
    /// connection; nil if unknown.
    package func client(of exchange: HTTPExchange) -> ClientAddress? {
        ClientAddress(clientSocket(of: exchange))
    }

    /// Returns the address of the client that sent a request as text; nil if unknown.
    func clientText(of exchange: HTTPExchange) -> String? { clientSocket(of: exchange)?.ipAddress }

    private func clientSocket(of exchange: HTTPExchange) -> SocketAddress? {
        reportedClient(of: exchange) ?? exchange.remoteAddress
    }

    /// Finds the client that a trusted proxy reports; nil if the connection is not from a trusted proxy.
    private func reportedClient(of exchange: HTTPExchange) -> SocketAddress? {
        let proxies = configuration.trustedProxies
        guard let proxy = exchange.remoteAddress, proxies.contains(proxy) else { return nil }
        return proxies.client(behind: proxy, exchange.head.headers)
    }

    private func configurePipeline(of channel: any Channel, _ allowance: AddressAllowance?) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 16_384
        limits.maxHeaderListSize = 32_768
        limits.maxHeaderFieldCount = 100
        let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits)
        try configuration.tls?.secure(channel)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(ByteToMessageHandler(decoder, maximumBufferSize: Self.maximumUnread))
        try pipeline.addHandler(HTTPRequestHandler(self, allowance: allowance))
    }

    package var isShuttingDown: Bool { drained != nil }

    /// The time within which a request must arrive, and a response must be read.
    var requestTimeout: TimeAmount { configuration.requestTimeout }

    /// The time that a connection may be idle between requests.
    var idleTimeout: TimeAmount { configuration.idleTimeout }

    /// The maximum number of bytes that may wait to be sent to one client.
    var maximumQueuedBytes: Int { configuration.maximumQueuedBytes }

    /// Whether rate limits also apply to loopback addresses.
    var limitsLoopback: Bool { configuration.rates.limitsLoopback }

    /// Counts and logs a refused connection or session.
    package func countRefusal(_ reason: ConnectionRefusal) {
        counts.connectionsRefused[reason] += 1
        guard let count = refusalEntry.count(at: eventLoop.now) else { return }
        let sessions = services.reduce(0) { $0 + $1.sessionCount }
        logger.warning(
            "connection refused",
            metadata: [
                "reason": "\(reason.label)", "times": "\(count)", "connections": "\(connections.count)",
                "sessions": "\(sessions)",
            ]
        )
    }

    /// Counts and logs a request that was refused because of its origin or host.
    func countForbidden(_ refusal: AccessRefusal, _ headers: HTTPHeaders) {
        counts.connectionsRefused[refusal.counted] += 1
        guard let count = forbiddenEntry.count(at: eventLoop.now) else { return }
        let named = ["origin", "host"].map { (headers.first(name: $0) ?? "").printable(limit: 200) }
        logger.warning(
            "\(refusal.message)",
            metadata: ["origin": "\(named[0])", "host": "\(named[1])", "times": "\(count)"]
        )
    }

    /// Counts and logs a client that has sent more messages or bytes than allowed.
    package func countFlood(_ what: RateLimited = .messages) {
        if let count = floodEntry.count(at: eventLoop.now) {
            logger.info("too many \(what.label)", metadata: ["times": "\(count)"])
        }
        counts.rateLimited[what] += 1
    }

    /// Counts a client that was disconnected because it did not read its output.
    package func slowConsumerClosed(_ reason: SlowClient) { counts.slowConsumersClosed[reason] += 1 }

    /// Counts a client that was disconnected because it did not complete a message or a body.
    func slowSenderClosed(_ reason: SlowClient) { counts.slowSendersClosed[reason] += 1 }

    /// Stops the services, and closes all connections within a second.
    package func shutDown() -> EventLoopFuture<Void> {
        let stopped = services.map { $0.prepareShutDown() }
        let promise = eventLoop.makePromise(of: Void.self)
        drained = promise
        let routed = services.compactMap { $0 as? RoutedService }
        if routed.contains(where: \.service.answersBeforeClosing) {
            let isReady = eventLoop.makePromise(of: Void.self)
            EventLoopFuture.andAllComplete(stopped, on: eventLoop).cascade(to: isReady)
            let patience = eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(300)) {
                isReady.succeed()
            }
            isReady.futureResult.assumeIsolated().whenComplete { _ in
                patience.cancel()
                self.closeSessions(promise)
            }
        } else {
            closeSessions(promise)
        }
        return EventLoopFuture.andAllComplete(stopped + [promise.futureResult], on: eventLoop)
    }

    /// Closes all sessions and connections, and completes the promise when the last connection has ended.
    private func closeSessions(_ promise: EventLoopPromise<Void>) {
        for service in services { service.closeSessions() }
        if connections.isEmpty { promise.succeed() }
        for channel in Array(connections.values) {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
        let limit = eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(900)) {
            for channel in Array(self.connections.values) { channel.close(promise: nil) }
        }
        promise.futureResult.assumeIsolated().whenComplete { _ in
            limit.cancel()
            for service in self.services { service.removeSessions() }
        }
    }
}

extension FrontServer {
    /// Finds the destination of a request by its head alone.
    func route(_ head: HTTPRequestHead, to path: String) -> FrontRoute {
        let service = services.first { $0.owns(path) }
        do throws(HostError) {
            let host = try RequestHost.named(in: head)
            let isDocument = service?.hasDocuments ?? true
            let refusal = access.refusal(of: head.headers, for: host, isDocument: isDocument)
            if let refusal { return .forbidden(refusal) }
        } catch {
            return .malformed
        }
        if head.method == .OPTIONS {
            return AccessPolicy.isShared(head.uri) ? .preflight : .methodNotAllowed
        }
        return service.map { .service($0) } ?? .nowhere
    }
}
