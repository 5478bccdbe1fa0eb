/// How to reach a Redis, and what is borne from it.
package struct RedisConfiguration: Hashable, Sendable {
    package var address: RedisAddress
    /// PEM file of those whose signature on the certificate is believed; nil for the system's.
    package var authorities: String?
    /// Within what time it has to be reached, and a command answered.
    package var timeout: Duration = .seconds(2)
    /// Bytes of one value; longer ones are left out.
    package var maximumBulk = 2 << 20
    /// Bytes that may wait for it to read them.
    package var maximumQueuedBytes = 32 << 20

    package init(_ address: RedisAddress) { self.address = address }
}
