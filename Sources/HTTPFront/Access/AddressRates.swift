/// The rates that the limits of client addresses permit.
package struct AddressRates: Sendable {
    /// The average number of connections that one address may open per minute, which is also the maximum burst; nil
    /// for no limit.
    package var connectionsPerMinute: Int?
    /// The average number of messages that a session may send per second; nil for no limit.
    package var messagesPerSecond: Int?
    /// The average number of bytes that a session may send per second; nil for no limit.
    package var bytesPerSecond: Int?
    /// Whether the limits also apply to loopback addresses.
    package var limitsLoopback = false

    package init() {}
}
