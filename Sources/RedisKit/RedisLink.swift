package import NIOCore
internal import NIOPosix
internal import NIOSSL

/// A connection to Redis that is re-established whenever it ends.
///
/// A link must be used only on its event loop. When its connection ends, the pending commands fail; no
/// command is sent twice.
package final class RedisLink {
    package enum Purpose: Sendable {
        case commands
        /// The link receives published messages; on each connection, it subscribes to these channels and
        /// patterns.
        case subscription(channels: [String], patterns: [String])
    }

    /// The pause after a connection has ended or the first attempt has failed.
    ///
    /// It doubles with each further failure, up to `longestPause`; up to a quarter is added at random.
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

    /// Creates a link; `name` identifies its connections in Redis (CLIENT SETNAME).
    ///
    /// - Throws: `NIOSSLError`, or another error if the file of certificate authorities cannot be read.
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

    /// Connects, and reconnects whenever the connection ends, until `stop(within:)` is called.
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

    /// Authenticates and selects the database, and then starts the subscriptions, if any.
    private func setUp(_ connection: RedisConnection) {
        let address = configuration.address
        var answers: [EventLoopFuture<RESPValue>] = []
        if let password = address.password {
            let words = ["AUTH"] + [address.user, password].compactMap(\.self)
            answers.append(ask(connection, RedisCommand(words)).flatMapErrorThrowing(Self.withoutPassword))
        }
        if address.database != 0 { answers.append(ask(connection, RedisCommand("SELECT", address.database))) }
        // The name is only for administrators: the connection works even if access rules forbid setting it.
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

    /// Reduces an error reply to AUTH to its code, because Redis may quote the command with the password in
    /// it.
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
        // The connection is closed if Redis does not confirm all subscriptions in time.
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
        default: break  // the reply to a ping only shows that Redis is alive
        }
    }

    /// Sends a command; the future fails with `RedisError`, which is `closed` if there is no open connection.
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

    /// Sends a command and ignores its reply, except an error reply; without a connection, the command is
    /// dropped.
    package func post(_ command: RedisCommand) {
        if isOpen { connection?.send(command, promise: nil) }
    }

    /// Pings the connection of a subscription, and closes it if the last two pings are unanswered.
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

    /// Stops the link permanently; commands that were already sent can still be completed within `limit`.
    ///
    /// - Returns: A future that completes when all replies have been received, or when the time is over.
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
    /// Reports that a connection was lost or could not be opened; the link reconnects automatically.
    ///
    /// `unanswered` is the number of commands without a reply, which may or may not have been executed.
    func link(_ link: RedisLink, didClose error: RedisError, unanswered: Int)
    /// Reports an error reply to a command that was sent by `post(_:)`.
    func link(_ link: RedisLink, didRefuse words: String)
    /// Reports a published message; `pattern` is the subscribed pattern that matched, or nil if the link
    /// subscribed to the channel by its name.
    func link(_ link: RedisLink, didReceive payload: RESPValue, on channel: String, pattern: String?)
}
