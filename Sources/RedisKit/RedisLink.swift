package import NIOCore
internal import NIOPosix
internal import NIOSSL

/// A connection to Redis that is re-established whenever it ends.
///
/// Confined to its event loop. Commands on a connection that ends fail; nothing is sent twice.
package final class RedisLink {
    package enum Purpose: Sendable {
        case commands
        /// Receiving published messages; the channels and patterns are subscribed to on each connection.
        case subscription(channels: [String], patterns: [String])
    }

    /// The pause before the second attempt; it doubles with each attempt, up to `longestPause`.
    private static let shortestPause = TimeAmount.milliseconds(100)
    private static let longestPause = TimeAmount.seconds(1)

    private let configuration: RedisConfiguration
    private let purpose: Purpose
    private let name: String
    private let eventLoop: any EventLoop
    private let tls: NIOSSLContext?
    private var connection: RedisConnection?
    private var isStopped = false
    private var failures = 0
    /// The number of unconfirmed subscriptions.
    private var unconfirmed = 0
    package private(set) var isOpen = false
    package weak var delegate: (any RedisLinkDelegate)?

    /// Creates a link; `name` is the connection's name in Redis.
    ///
    /// - Throws: `NIOSSLError`, or another error if the file of authorities cannot be read.
    package init(
        _ configuration: RedisConfiguration,
        for purpose: Purpose,
        name: String,
        eventLoop: any EventLoop
    ) throws {
        self.configuration = configuration
        self.purpose = purpose
        self.name = name
        self.eventLoop = eventLoop
        tls = configuration.address.isSecure ? try Self.context(configuration) : nil
    }

    private static func context(_ configuration: RedisConfiguration) throws -> NIOSSLContext {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let file = configuration.authorities { tls.trustRoots = .file(file) }
        return try NIOSSLContext(configuration: tls)
    }

    /// Connects, and reconnects whenever the connection ends, until stopped.
    package func start() {
        guard !isStopped, connection == nil else { return }
        let (tls, host) = (tls, configuration.address.host)
        let high = configuration.maximumQueuedBytes
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(TimeAmount(configuration.timeout))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.writeBufferWaterMark, value: .init(low: high / 2, high: high))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let tls else { return }
                    let name = Self.isAddress(host) ? nil : host
                    let handler = try NIOSSLClientHandler(context: tls, serverHostname: name)
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
        bootstrap.connect(host: host, port: configuration.address.port).assumeIsolated()
            .whenComplete { [weak self] result in
                guard let self, !isStopped else {
                    if case .success(let channel) = result { channel.close(promise: nil) }
                    return
                }
                connected(result)
            }
    }

    private static func isAddress(_ host: String) -> Bool {
        (try? SocketAddress(ipAddress: host, port: 0)) != nil
    }

    private func connected(_ result: Result<any Channel, any Error>) {
        do {
            let connection = RedisConnection(configuration, try result.get())
            self.connection = connection
            connection.onClose = { [weak self] in self?.closed($0, unanswered: $1) }
            connection.onRefusal = { [weak self] words in
                guard let self, isOpen else { return }
                delegate?.link(self, didRefuse: words)
            }
            try connection.start()
            setUp(connection)
        } catch {
            connection?.onClose = nil
            connection = nil
            closed(.unreachable(ConnectionProblem.words(for: error)), unanswered: 0)
        }
    }

    /// Authenticates, selects the database, and subscribes.
    private func setUp(_ connection: RedisConnection) {
        let address = configuration.address
        var answers: [EventLoopFuture<RESPValue>] = []
        if let password = address.password {
            let words = ["AUTH"] + [address.user, password].compactMap(\.self)
            answers.append(ask(connection, RedisCommand(words)).flatMapErrorThrowing(Self.withoutPassword))
        }
        if address.database != 0 { answers.append(ask(connection, RedisCommand("SELECT", address.database))) }
        // The name is only for people: the connection works even if access rules forbid setting it.
        connection.send(RedisCommand("CLIENT", "SETNAME", name), promise: nil)
        answers.append(ask(connection, RedisCommand("PING")))
        EventLoopFuture.whenAllSucceed(answers, on: eventLoop).assumeIsolated()
            .whenComplete { [weak self, weak connection] result in
                guard let self, let connection, self.connection === connection else { return }
                switch result {
                case .success: ready(connection)
                case .failure(let error):
                    connection.close(
                        error as? RedisError ?? .unreachable(ConnectionProblem.words(for: error))
                    )
                }
            }
    }

    private func ask(_ connection: RedisConnection, _ command: RedisCommand) -> EventLoopFuture<RESPValue> {
        let promise = eventLoop.makePromise(of: RESPValue.self)
        connection.send(command, promise: promise)
        return promise.futureResult
    }

    /// Removes the quoted command from an error reply, which may contain the password; its code is enough.
    @Sendable static func withoutPassword(_ error: any Error) throws -> RESPValue {
        guard case .refused(let words) = error as? RedisError else { throw error }
        throw RedisError.refused("\(words.prefix { $0 != " " }) to AUTH")
    }

    private func ready(_ connection: RedisConnection) {
        guard case .subscription(let channels, let patterns) = purpose else { return opened() }
        unconfirmed = channels.count + patterns.count
        connection.onMessage = { [weak self] in self?.receive($0) }
        connection.subscribe(RedisCommand(["SUBSCRIBE"] + channels))
        if !patterns.isEmpty { connection.subscribe(RedisCommand(["PSUBSCRIBE"] + patterns)) }
        // A forbidden subscription is answered with an error, not with a message.
        eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(configuration.timeout)) {
            [weak self, weak connection] in
            guard let self, let connection, self.connection === connection, !isOpen else { return }
            connection.close(.timeout)
        }
    }

    private func opened() {
        isOpen = true
        failures = 0
        delegate?.linkDidOpen(self)
    }

    private func receive(_ value: RESPValue) {
        guard let items = value.items, let kind = items.first?.text else { return }
        switch kind {
        case "subscribe", "psubscribe":
            unconfirmed -= 1
            if unconfirmed == 0, !isOpen { opened() }
        case "message" where items.count == 3:
            delegate?.link(self, didReceive: items[2], on: items[1].text ?? "", pattern: nil)
        case "pmessage" where items.count == 4:
            delegate?.link(self, didReceive: items[3], on: items[2].text ?? "", pattern: items[1].text)
        default: break  // the reply to a ping, which only shows that Redis is alive
        }
    }

    /// Sends a command; the future fails without a connection.
    @discardableResult
    package func send(_ command: RedisCommand) -> EventLoopFuture<RESPValue> {
        let promise = eventLoop.makePromise(of: RESPValue.self)
        if isOpen, let connection {
            connection.send(command, promise: promise)
        } else {
            promise.fail(RedisError.closed)
        }
        return promise.futureResult
    }

    /// Sends a command whose reply is not wanted; without a connection, the command is dropped.
    package func post(_ command: RedisCommand) {
        if isOpen { connection?.send(command, promise: nil) }
    }

    /// Pings a subscription; one that has received nothing since the last two pings is closed.
    package func checkSubscription() {
        if isOpen, case .subscription = purpose { connection?.checkLife() }
    }

    private func closed(_ error: RedisError, unanswered: Int) {
        connection = nil
        let wasOpen = isOpen
        isOpen = false
        guard !isStopped else { return }
        failures += 1
        delegate?.link(self, didClose: error, unanswered: wasOpen ? unanswered : 0)
        var pause = Self.shortestPause
        for _ in 1..<min(failures, 5) { pause = min(pause * 2, Self.longestPause) }
        let jitter = TimeAmount.nanoseconds(.random(in: 0...pause.nanoseconds / 4))
        eventLoop.assumeIsolated().scheduleTask(in: pause + jitter) { [weak self] in self?.start() }
    }

    /// Stops for good; earlier commands are still sent, and their replies received.
    ///
    /// - Returns: A future that completes when all replies have arrived, or when the time is over.
    @discardableResult
    package func stop(within limit: TimeAmount = .zero) -> EventLoopFuture<Void> {
        isStopped = true
        isOpen = false
        guard let connection else { return eventLoop.makeSucceededVoidFuture() }
        self.connection = nil
        let promise = eventLoop.makePromise(of: Void.self)
        connection.onClose = { _, _ in promise.succeed() }
        connection.end(within: limit)
        return promise.futureResult
    }
}

/// The receiver of a link's events.
package protocol RedisLinkDelegate: AnyObject {
    func linkDidOpen(_ link: RedisLink)
    /// Reports a lost or failed connection, which the link retries.
    ///
    /// `unanswered` commands have had no reply and may or may not have been executed.
    func link(_ link: RedisLink, didClose error: RedisError, unanswered: Int)
    /// Reports an error reply to a command whose reply was not wanted.
    func link(_ link: RedisLink, didRefuse words: String)
    /// Reports a published message; `pattern` is the subscribed pattern that matched, nil for a named
    /// channel.
    func link(_ link: RedisLink, didReceive payload: RESPValue, on channel: String, pattern: String?)
}
