package import NIOCore

/// The settings of a server's connections: the rules for admission, and the limits.
package struct FrontConfiguration: Sendable {
    package var access: AccessPolicy
    /// The server's certificate and key; nil for plain HTTP.
    package var tls: TLSCredentials?
    /// The proxies whose `X-Forwarded-For` is trusted.
    package var trustedProxies = TrustedProxies()
    package var rates = AddressRates()
    /// The maximum number of connections; nil for the descriptor limit minus 64.
    package var maximumConnections: Int?
    /// The maximum number of connections from one address; nil for a quarter of the maximum.
    package var connectionsPerAddress: Int?
    /// The time within which a connection must send its HTTP request.
    package var requestTimeout = TimeAmount.seconds(10)
    /// The time that a connection may be idle between requests.
    package var idleTimeout = TimeAmount.seconds(45)
    /// The time after which a client that reads none of its waiting output is disconnected.
    package var readTimeout = TimeAmount.seconds(10)
    /// The time by which timers may be late.
    package var timerResolution = TimeAmount.milliseconds(100)
    /// The maximum number of bytes that may wait to be sent to one client, beyond its socket's send buffer.
    package var maximumQueuedBytes = 2 << 20
    /// The maximum number of bytes that may wait to be sent to all clients together.
    package var maximumQueuedBytesInAll = 32 << 20
    /// The time within which a client must complete a message; the attachments that follow the message have
    /// the same time again.
    package var messageTimeout = TimeAmount.seconds(30)
    /// The maximum number of bytes of incomplete messages and bodies of all clients together.
    package var maximumIncompleteBytesInAll = 32 << 20

    package init(access: AccessPolicy) { self.access = access }
}
