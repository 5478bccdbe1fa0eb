internal import NIOCore

/// How much each client address may ask of the server.
///
/// Confined to one event loop. What is kept of an address goes when its last connection has, and its
/// buckets are full again.
final class AddressLimits {
    private static let leastPruned = 1024

    private let configuration: ServerConfiguration
    private let openConnections: Int?
    private var allowances: [ClientAddress: AddressAllowance] = [:]
    private var pruneCount = leastPruned

    /// `openConnections` may each address have at a time, and sessions as many; nil stands for any number.
    init(_ configuration: ServerConfiguration, openConnections: Int? = nil) {
        self.configuration = configuration
        self.openConnections = openConnections
    }

    /// How many addresses something is kept of.
    var count: Int { allowances.count }

    /// What the address may do; nil where nothing limits it.
    func allowance(for address: ClientAddress?, at now: NIODeadline) -> AddressAllowance? {
        guard let address, configuration.limitsLoopback || !address.isLoopback,
            openConnections != nil || configuration.connectionsPerMinute != nil
                || configuration.messagesPerSecond != nil || configuration.bytesPerSecond != nil
        else { return nil }
        if let allowance = allowances[address] { return allowance }
        if allowances.count >= pruneCount { prune(at: now) }
        let allowance = AddressAllowance(configuration, openConnections: openConnections, at: now)
        allowances[address] = allowance
        return allowance
    }

    private func prune(at now: NIODeadline) {
        allowances = allowances.filter { !$0.value.isUnused(at: now) }
        // So that the work grows with the number of newcomers, and not with its square.
        pruneCount = max(Self.leastPruned, allowances.count * 2)
    }
}

/// What one client address may still do.
final class AddressAllowance {
    /// A rest of so many seconds allows as many messages at once: a call begins with a burst of candidates.
    static let burstSeconds = 5.0
    /// All sessions of an address together may send as much as so many.
    private static let busySessions = 10.0

    private let maximumOpen: Int
    private let messagesPerSecond: Int?
    private let bytesPerSecond: Int?
    private var connections: TokenBucket?
    private var messages: TokenBucket?
    private var bytes: TokenBucket?
    private var openConnections = 0
    private var openSessions = 0

    init(_ configuration: ServerConfiguration, openConnections: Int?, at now: NIODeadline) {
        maximumOpen = openConnections ?? .max
        messagesPerSecond = configuration.messagesPerSecond
        bytesPerSecond = configuration.bytesPerSecond
        connections = configuration.connectionsPerMinute.map {
            TokenBucket(rate: Double($0) / 60, capacity: Double($0), at: now)
        }
        messages = Self.bucket(configuration.messagesPerSecond, at: now)
        bytes = Self.bucket(configuration.bytesPerSecond, at: now)
    }

    private static func bucket(_ ratePerSession: Int?, at now: NIODeadline) -> TokenBucket? {
        guard let ratePerSession else { return nil }
        let rate = Double(ratePerSession) * busySessions
        return TokenBucket(rate: rate, capacity: rate * burstSeconds, at: now)
    }

    /// Why one more connection is not allowed; where it is, it is counted until `close()`.
    func open(at now: NIODeadline) -> ConnectionRefusal? {
        guard openConnections < maximumOpen else { return .tooManyOfAddress }
        guard connections?.take(at: now) ?? true else { return .tooFastOfAddress }
        openConnections += 1
        return nil
    }

    /// A connection has gone.
    func close() { openConnections -= 1 }

    /// Whether one more session is allowed.
    var allowsSession: Bool { openSessions < maximumOpen }

    func sessionOpened() { openSessions += 1 }

    func sessionClosed() { openSessions -= 1 }

    /// What a new session may send.
    func session(at now: NIODeadline) -> SessionAllowance {
        SessionAllowance(
            self,
            messagesPerSecond: messagesPerSecond,
            bytesPerSecond: bytesPerSecond,
            at: now
        )
    }

    /// Whether one more message is allowed to all sessions of the address together.
    func takeMessage(at now: NIODeadline) -> Bool { messages?.take(at: now) ?? true }

    /// Whether so many bytes more are allowed to all sessions of the address together.
    func takeBytes(_ count: Int, at now: NIODeadline) -> Bool { bytes?.take(count, at: now) ?? true }

    /// Whether nothing would be lost by forgetting the address.
    fileprivate func isUnused(at now: NIODeadline) -> Bool {
        openConnections == 0 && openSessions == 0 && connections?.isFull(at: now) ?? true
            && messages?.isFull(at: now) ?? true && bytes?.isFull(at: now) ?? true
    }
}
