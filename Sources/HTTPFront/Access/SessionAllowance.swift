package import NIOCore

/// The remaining message and byte allowance of one session.
///
/// Each session has its own allowance, so that other clients at the same address cannot use it up. In
/// addition, all sessions of an address share an allowance, which is only ten times a session's. When it is
/// used up, each session still has a small reserve, which suffices for a call.
package struct SessionAllowance {
    package let address: AddressAllowance
    private var messages = TokenBucket()
    private var reserve = TokenBucket()
    private var bytes = TokenBucket()
    private var byteReserve = TokenBucket()

    init(_ address: AddressAllowance) { self.address = address }

    /// Deducts one message from the allowance; false if none is left.
    package mutating func takeMessage(at now: NIODeadline) -> Bool {
        guard let rates = address.messageRates else { return true }
        guard messages.take(of: rates.session, at: now) else { return false }
        return address.takeMessage(at: now) || reserve.take(of: rates.reserve, at: now)
    }

    /// Deducts bytes from the allowance; false if none are left.
    ///
    /// The last permitted call may deduct more bytes than are left.
    package mutating func takeBytes(_ count: Int, at now: NIODeadline) -> Bool {
        guard let rates = address.byteRates else { return true }
        guard bytes.take(count, of: rates.session, at: now) else { return false }
        return address.takeBytes(count, at: now) || byteReserve.take(count, of: rates.reserve, at: now)
    }
}
