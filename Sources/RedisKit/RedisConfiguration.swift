/// The settings of a connection to Redis.
package struct RedisConfiguration: Hashable, Sendable {
    package var address: RedisAddress
    /// A PEM file of trusted certificate authorities; nil for the system's.
    package var authorities: String?
    /// The time limit for opening a connection to Redis, and for the reply to a command.
    package var timeout: Duration = .seconds(2)
    /// The maximum length of a received bulk string in bytes; a longer one is dropped.
    var maximumBulk = 2 << 20
    /// The maximum number of bytes in the send queue; the connection is closed if they exceed it.
    package var maximumQueuedBytes = 32 << 20

    package init(_ address: RedisAddress) { self.address = address }
}
