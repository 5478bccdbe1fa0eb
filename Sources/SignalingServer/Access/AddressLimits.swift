internal import NIOCore

/// The rate limits of all client addresses.
///
/// Confined to one event loop. The record of an address can be removed once the address has no connections or
/// sessions and its token buckets are full again.
final class AddressLimits {
    private static let minimumPruned = 1024

    private let configuration: ServerConfiguration
    private let openConnections: Int?
    private var allowances: [ClientAddress: AddressAllowance] = [:]
    private var pruneCount = minimumPruned

    /// Creates the limits; `openConnections` is the maximum number of connections, and separately of
    /// sessions, per address, or nil for no limit.
    init(_ configuration: ServerConfiguration, openConnections: Int? = nil) {
        self.configuration = configuration
        self.openConnections = openConnections
    }

    /// The number of addresses with a record.
    var count: Int { allowances.count }

    /// Returns the remaining allowance of an address, creating it if necessary; nil if the address is not
    /// limited.
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
        // The threshold is doubled, so that the work grows linearly with the number of new addresses, not
        // quadratically.
        pruneCount = max(Self.minimumPruned, allowances.count * 2)
    }
}

/// The connections, sessions, messages and bytes that one client address may still use.
final class AddressAllowance {
    /// The size of the permitted burst, in seconds of sending at the average rate.
    ///
    /// Bursts are permitted because a call begins with many ICE candidates at once.
    static let burstSeconds = 5.0
    /// The allowance that the sessions of an address share, as a multiple of one session's allowance.
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

    /// Counts a new connection until `close()`; the result is the reason if the connection is refused
    /// instead, else nil.
    func open(at now: NIODeadline) -> ConnectionRefusal? {
        guard openConnections < maximumOpen else { return .tooManyOfAddress }
        guard connections?.take(at: now) ?? true else { return .tooFastOfAddress }
        openConnections += 1
        return nil
    }

    /// Records that a connection has closed.
    func close() { openConnections -= 1 }

    /// Whether the address may open one more session.
    var allowsSession: Bool { openSessions < maximumOpen }

    func sessionOpened() { openSessions += 1 }

    func sessionClosed() { openSessions -= 1 }

    /// Creates the allowance of a new session.
    func session(at now: NIODeadline) -> SessionAllowance {
        SessionAllowance(
            self,
            messagesPerSecond: messagesPerSecond,
            bytesPerSecond: bytesPerSecond,
            at: now
        )
    }

    /// Deducts one message from the allowance that the sessions of the address share; false if none is left.
    func takeMessage(at now: NIODeadline) -> Bool { messages?.take(at: now) ?? true }

    /// Deducts bytes from the allowance that the sessions of the address share; false if none are left.
    func takeBytes(_ count: Int, at now: NIODeadline) -> Bool { bytes?.take(count, at: now) ?? true }

    /// Determines whether the record equals a new one, so that it can be removed.
    fileprivate func isUnused(at now: NIODeadline) -> Bool {
        openConnections == 0 && openSessions == 0 && connections?.isFull(at: now) ?? true
            && messages?.isFull(at: now) ?? true && bytes?.isFull(at: now) ?? true
    }
}
