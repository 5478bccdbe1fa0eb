internal import NIOCore

/// How much each client address may ask of the server.
///
/// Confined to one event loop. What is kept of an address goes when its last connection has, and its
/// buckets are full again.
final class AddressLimits {
    private static let leastPruned = 1024

    private let configuration: ServerConfiguration
    private var allowances: [ClientAddress: AddressAllowance] = [:]
    private var pruneCount = leastPruned

    init(_ configuration: ServerConfiguration) { self.configuration = configuration }

    /// How many addresses something is kept of.
    var count: Int { allowances.count }

    /// What the address may do; nil where nothing limits it.
    func allowance(for address: ClientAddress?, at now: NIODeadline) -> AddressAllowance? {
        guard let address, configuration.limitsLoopback || !address.isLoopback,
            configuration.connectionsPerMinute != nil || configuration.messagesPerSecond != nil
        else { return nil }
        if let allowance = allowances[address] { return allowance }
        if allowances.count >= pruneCount { prune(at: now) }
        let allowance = AddressAllowance(configuration, at: now)
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
    private static let burstSeconds = 5.0

    private var connections: TokenBucket?
    private var messages: TokenBucket?
    private var openConnections = 0

    init(_ configuration: ServerConfiguration, at now: NIODeadline) {
        connections = configuration.connectionsPerMinute.map {
            TokenBucket(rate: Double($0) / 60, capacity: Double($0), at: now)
        }
        messages = configuration.messagesPerSecond.map {
            TokenBucket(rate: Double($0), capacity: Double($0) * Self.burstSeconds, at: now)
        }
    }

    /// Whether one more connection is allowed; it is then counted until `close()`.
    func open(at now: NIODeadline) -> Bool {
        guard connections?.take(at: now) ?? true else { return false }
        openConnections += 1
        return true
    }

    /// A connection has gone.
    func close() { openConnections -= 1 }

    /// Whether one more message is allowed.
    func takeMessage(at now: NIODeadline) -> Bool { messages?.take(at: now) ?? true }

    /// Whether nothing would be lost by forgetting the address.
    fileprivate func isUnused(at now: NIODeadline) -> Bool {
        openConnections == 0 && connections?.isFull(at: now) ?? true && messages?.isFull(at: now) ?? true
    }
}
