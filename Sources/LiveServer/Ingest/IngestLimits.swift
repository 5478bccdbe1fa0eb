package import NIOCore

/// The limits for encoders that publish streams.
package struct IngestLimits: Sendable {
    /// The maximum number of connections, and of those from one address.
    package var connections = 200
    package var connectionsPerAddress = 50
    /// The average number of connections that one address may open per minute, which is also the maximum burst.
    package var connectionsPerMinute = 300
    /// The time within which the handshake must be complete.
    package var handshakeTimeout = TimeAmount.seconds(5)
    /// The time after the handshake within which the encoder must publish its stream.
    package var publishTimeout = TimeAmount.seconds(5)
    /// The time without any data after which a connection is closed.
    package var silenceTimeout = TimeAmount.seconds(15)
    /// The time without any media after which another encoder with the same key may take over.
    package var silenceBeforeTakeover = Duration.seconds(3)
    /// The maximum average bit rate of a stream over ten seconds, in bits per second.
    package var bitrate = 25_000_000

    package init() {}
}
