/// The settings of a connection to Redis.
package struct RedisConfiguration: Hashable, Sendable {
    package var address: RedisAddress
    /// A PEM file of trusted certificate authorities; nil for the system's.
    package var authorities: String?
    /// The time within which a connection to Redis must be made, and a command must get its reply.
    package var timeout: Duration = .seconds(2)
    /// The maximum size of a value in bytes; longer ones are dropped.
    var maximumBulk = 2 << 20
    /// The maximum number of bytes that may wait for Redis to read them.
    package var maximumQueuedBytes = 32 << 20

    package init(_ address: RedisAddress) { self.address = address }
}
