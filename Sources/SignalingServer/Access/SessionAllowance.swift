internal import NIOCore

/// The remaining message and byte allowance of one session.
///
/// Each session has its own allowance, so that it does not pay for what other clients at the same address
/// send. All sessions of an address together may use only a few sessions' worth; when that is used up, each
/// session still has a small reserve, enough for a call.
struct SessionAllowance {
    /// The part of a session's allowance that the limit of its address does not affect.
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

    /// Takes one message from the allowance; false if it is used up.
    mutating func takeMessage(at now: NIODeadline) -> Bool {
        guard messages?.take(at: now) ?? true else { return false }
        return address.takeMessage(at: now) || reserve?.take(at: now) ?? true
    }

    /// Takes bytes from the allowance; false if it is used up.
    ///
    /// The last permitted bytes may exceed what was left.
    mutating func takeBytes(_ count: Int, at now: NIODeadline) -> Bool {
        guard bytes?.take(count, at: now) ?? true else { return false }
        return address.takeBytes(count, at: now) || byteReserve?.take(count, at: now) ?? true
    }
}
