internal import NIOCore

/// What one session may still send.
///
/// Each has its own messages, so that nobody pays for what a neighbour on the same address sends. All of an
/// address together have no more than some sessions' worth; where that is spent, each still has a small part
/// of its own, enough for a call.
struct SessionAllowance {
    /// Of its messages, what a session has that its address does not bound.
    private static let reservedPart = 0.1

    let address: AddressAllowance
    private var messages: TokenBucket?
    private var reserve: TokenBucket?

    init(_ address: AddressAllowance, messagesPerSecond: Int?, at now: NIODeadline) {
        self.address = address
        guard let rate = messagesPerSecond.map(Double.init) else { return }
        messages = TokenBucket(rate: rate, capacity: rate * AddressAllowance.burstSeconds, at: now)
        reserve = TokenBucket(rate: rate * Self.reservedPart, capacity: rate, at: now)
    }

    /// Whether one more message is allowed.
    mutating func takeMessage(at now: NIODeadline) -> Bool {
        guard messages?.take(at: now) ?? true else { return false }
        return address.takeMessage(at: now) || reserve?.take(at: now) ?? true
    }
}
