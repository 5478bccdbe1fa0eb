package import NIOCore

/// The remaining message and byte allowance of one session.
///
/// Each session has its own allowance, so that other clients at the same address cannot use it up. In
/// addition, all sessions of an address share an allowance, which is only ten times a session's. When it is
/// used up, each session still has a small reserve, which suffices for a call.
package struct SessionAllowance {
    /// The fraction of a session's rate that remains when the allowance shared by its address is used up.
    private static let reservedPart = 0.1

    package let address: AddressAllowance
    private var messages: TokenBucket?
    private var reserve: TokenBucket?
    private var bytes: TokenBucket?
    private var byteReserve: TokenBucket?

    init(_ address: AddressAllowance, messagesPerSecond: Int?, bytesPerSecond: Int?, at now: NIODeadline) {
        self.address = address
        messages = Self.bucket(messagesPerSecond, at: now)
        reserve = Self.reserve(messagesPerSecond, at: now)
        bytes = Self.bucket(bytesPerSecond, at: now)
        byteReserve = Self.reserve(bytesPerSecond, at: now)
    }

    private static func bucket(_ rate: Int?, at now: NIODeadline) -> TokenBucket? {
        rate.map {
            TokenBucket(rate: Double($0), capacity: Double($0) * AddressAllowance.burstSeconds, at: now)
        }
    }

    private static func reserve(_ rate: Int?, at now: NIODeadline) -> TokenBucket? {
        rate.map { TokenBucket(rate: Double($0) * reservedPart, capacity: Double($0), at: now) }
    }

    /// Deducts one message from the allowance; false if none is left.
    package mutating func takeMessage(at now: NIODeadline) -> Bool {
        guard messages?.take(at: now) ?? true else { return false }
        return address.takeMessage(at: now) || reserve?.take(at: now) ?? true
    }

    /// Deducts bytes from the allowance; false if none are left.
    ///
    /// The last permitted call may deduct more bytes than are left.
    package mutating func takeBytes(_ count: Int, at now: NIODeadline) -> Bool {
        guard bytes?.take(count, at: now) ?? true else { return false }
        return address.takeBytes(count, at: now) || byteReserve?.take(count, at: now) ?? true
    }
}
