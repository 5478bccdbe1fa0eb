internal import NIOCore

/// What one session may still send.
///
/// Each has its own messages and bytes, so that nobody pays for what a neighbour on the same address sends. All of an
/// address together have no more than some sessions' worth; where that is spent, each still has a small part
/// of its own, enough for a call.
struct SessionAllowance {
    /// Of its messages and bytes, what a session has that its address does not bound.
    private static let reservedPart = 0.1

    let address: AddressAllowance
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

    /// Whether one more message is allowed.
    mutating func takeMessage(at now: NIODeadline) -> Bool {
        guard messages?.take(at: now) ?? true else { return false }
        return address.takeMessage(at: now) || reserve?.take(at: now) ?? true
    }

    /// Whether so many bytes more are allowed; the last that are may be more than there were left.
    mutating func takeBytes(_ count: Int, at now: NIODeadline) -> Bool {
        guard bytes?.take(count, at: now) ?? true else { return false }
        return address.takeBytes(count, at: now) || byteReserve?.take(count, at: now) ?? true
    }
}
