package import NIOCore

/// The rate limits of all client addresses, and of the networks that contain them (`ClientAddress.network`).
///
/// Confined to one event loop. The record of an address can be removed once the address has no connections or
/// sessions and its token buckets are full again.
package final class AddressLimits {
    private static let minimumPruned = 1024
    /// The limits of a network as a multiple of the limits of one address.
    private static let addressesOfNetwork = 10

    private let rates: AddressRates
    private let openConnections: Int?
    private let networkRates: AddressRates
    private let openConnectionsOfNetwork: Int?
    private var allowances: [ClientAddress: AddressAllowance] = [:]
    private var networks: [ClientAddress: AddressAllowance] = [:]
    private var pruneCount = minimumPruned

    /// Creates the limits; `openConnections` is the maximum number of connections, and separately of sessions, per
    /// address, or nil for no limit.
    ///
    /// A network may open connections at ten times the rate of an address. It may also have ten times as many open, but
    /// no more than half of `inAll`, unless a single address may have more.
    package init(_ rates: AddressRates, openConnections: Int? = nil, inAll: Int) {
        self.rates = rates
        self.openConnections = openConnections
        var networkRates = AddressRates()
        networkRates.connectionsPerMinute = rates.connectionsPerMinute.map(AddressLimits.ofNetwork)
        self.networkRates = networkRates
        openConnectionsOfNetwork = openConnections.map {
            max($0, min(AddressLimits.ofNetwork($0), inAll / 2))
        }
    }

    private static func ofNetwork(_ limit: Int) -> Int {
        let (product, isTooLarge) = limit.multipliedReportingOverflow(by: addressesOfNetwork)
        return isTooLarge ? .max : product
    }

    /// The number of addresses with a record.
    var count: Int { allowances.count }

    /// Returns the remaining allowance of an address, creating it if necessary; nil if the address is not
    /// limited.
    package func allowance(for address: ClientAddress?, at now: NIODeadline) -> AddressAllowance? {
        guard let address, rates.limitsLoopback || !address.isLoopback,
            openConnections != nil || rates.connectionsPerMinute != nil
                || rates.messagesPerSecond != nil || rates.bytesPerSecond != nil
        else { return nil }
        if let allowance = allowances[address] { return allowance }
        if allowances.count >= pruneCount { prune(at: now) }
        let allowance = AddressAllowance(
            rates,
            openConnections: openConnections,
            network: address.network.map(networkAllowance)
        )
        allowances[address] = allowance
        return allowance
    }

    private func networkAllowance(_ network: ClientAddress) -> AddressAllowance {
        if let known = networks[network] { return known }
        let allowance = AddressAllowance(networkRates, openConnections: openConnectionsOfNetwork)
        networks[network] = allowance
        return allowance
    }

    private func prune(at now: NIODeadline) {
        allowances = allowances.filter { !$0.value.isUnused(at: now) }
        // The remaining addresses still count in the records of their networks.
        let known = Set(allowances.keys.compactMap(\.network))
        networks = networks.filter { known.contains($0.key) || !$0.value.isUnused(at: now) }
        // The threshold is doubled, so that the work grows linearly with the number of new addresses, not
        // quadratically.
        pruneCount = max(Self.minimumPruned, allowances.count * 2)
    }
}

/// The connections, sessions, messages and bytes that one client address may still use.
package final class AddressAllowance {
    /// The rates at which messages or bytes are permitted.
    struct Rates {
        /// The size of the permitted burst, in seconds of sending at the average rate.
        ///
        /// Bursts are permitted because a call begins with many ICE candidates at once.
        private static let burstSeconds = 5.0
        /// The allowance that the sessions of an address share, as a multiple of one session's allowance.
        private static let busySessions = 10.0
        /// The fraction of a session's rate that remains when the allowance of its address is used up.
        private static let reservedPart = 0.1

        let session: TokenRate
        /// The rate at which a session may still send when the allowance of its address is used up.
        let reserve: TokenRate
        /// The rate that the sessions of an address share.
        let address: TokenRate

        init(perSecond: Int) {
            func rate(_ part: Double, seconds: Double) -> TokenRate {
                let perSecond = Double(perSecond) * part
                return TokenRate(perSecond: perSecond, capacity: perSecond * seconds)
            }
            session = rate(1, seconds: Self.burstSeconds)
            reserve = rate(Self.reservedPart, seconds: 1 / Self.reservedPart)
            address = rate(Self.busySessions, seconds: Self.burstSeconds)
        }
    }

    /// The allowance that the addresses of the network share; nil if there is none.
    private let network: AddressAllowance?
    private let maximumOpen: Int
    private let connectionRate: TokenRate?
    /// The rates of messages; nil for no limit.
    let messageRates: Rates?
    /// The rates of bytes; nil for no limit.
    let byteRates: Rates?
    private var connections = TokenBucket()
    private var messages = TokenBucket()
    private var bytes = TokenBucket()
    private var openConnections = 0
    private var openSessions = 0

    init(_ rates: AddressRates, openConnections: Int?, network: AddressAllowance? = nil) {
        self.network = network
        maximumOpen = openConnections ?? .max
        messageRates = rates.messagesPerSecond.map(Rates.init)
        byteRates = rates.bytesPerSecond.map(Rates.init)
        connectionRate = rates.connectionsPerMinute.map {
            TokenRate(perSecond: Double($0) / 60, capacity: Double($0))
        }
    }

    /// Counts a new connection as open until `close()` is called; returns the reason if it is refused instead, else
    /// nil.
    package func open(at now: NIODeadline) -> ConnectionRefusal? {
        guard openConnections < maximumOpen, network.map({ $0.openConnections < $0.maximumOpen }) ?? true
        else { return .tooManyOfAddress }
        guard takeSession(at: now) else { return .tooFastOfAddress }
        openConnections += 1
        network?.openConnections += 1
        return nil
    }

    /// Records that a connection has closed.
    package func close() {
        openConnections -= 1
        network?.openConnections -= 1
    }

    /// Whether the address may open one more session.
    package var allowsSession: Bool { openSessions < maximumOpen && network?.allowsSession ?? true }

    /// Deducts one from the allowance for new connections; false if none is left.
    ///
    /// Called for each connection, and for each session that shares a connection with others.
    package func takeSession(at now: NIODeadline) -> Bool {
        let isAllowed = connectionRate.map { connections.take(of: $0, at: now) } ?? true
        return isAllowed && network?.takeSession(at: now) ?? true
    }

    package func sessionOpened() {
        openSessions += 1
        network?.sessionOpened()
    }

    package func sessionClosed() {
        openSessions -= 1
        network?.sessionClosed()
    }

    /// Creates the allowance of a new session.
    package func session() -> SessionAllowance { SessionAllowance(self) }

    /// Deducts one message from the allowance that the sessions of the address share; false if none is left.
    package func takeMessage(at now: NIODeadline) -> Bool {
        messageRates.map { messages.take(of: $0.address, at: now) } ?? true
    }

    /// Deducts bytes from the allowance that the sessions of the address share; false if none are left.
    func takeBytes(_ count: Int, at now: NIODeadline) -> Bool {
        byteRates.map { bytes.take(count, of: $0.address, at: now) } ?? true
    }

    /// Determines whether the record equals a new one, so that it can be removed.
    fileprivate func isUnused(at now: NIODeadline) -> Bool {
        openConnections == 0 && openSessions == 0
            && connectionRate.map { connections.isFull(of: $0, at: now) } ?? true
            && messageRates.map { messages.isFull(of: $0.address, at: now) } ?? true
            && byteRates.map { bytes.isFull(of: $0.address, at: now) } ?? true
    }
}
