package import CallCore

/// How a signaling server listens, whom it lets in and what it bears.
package struct ServerConfiguration: Sendable {
    /// The address to listen on.
    package var host = "127.0.0.1"
    /// The TCP port, 0…65535; 0 stands for any free one.
    package var port = 3000
    /// The web origins that may connect: `*`, or some separated by commas.
    ///
    /// Clients that are no browser name none and are let in.
    package var origin = "*"
    /// Whether `roomId` and `isCaller` are written as strings, as the seed's own server does.
    package var stringPayloads = false
    /// Whether a room takes any number of callers and callees.
    package var openRooms = false
    /// How long a member whose connection was lost may stay away before the others are told.
    package var grace: Duration = .seconds(2)
    /// Connections borne at a time; by default the limit of descriptors less 64.
    package var maximumConnections: Int?
    /// What the server proves itself with; without it, it speaks plain HTTP.
    package var tls: TLSCredentials?
    /// What everybody is told to reach peers with, right after joining; nothing is said of none.
    package var iceServers: [ICEServer] = []
    /// How long the ICE servers' credentials hold.
    package var iceServersTimeToLive: Duration = .seconds(86_400)
    /// From a pong to the next ping.
    package var pingInterval: Duration = .seconds(25)
    /// Within what time a pong is due.
    package var pingTimeout: Duration = .seconds(20)
    /// Within what time a new connection has to join a namespace.
    package var connectTimeout: Duration = .seconds(45)
    /// Within what time a connection has to make its HTTP request.
    package var requestTimeout: Duration = .seconds(10)
    /// Bytes that one message may have.
    package var maximumPayload = 1_000_000
    /// Bytes that may wait for a slow reader before it is dropped.
    package var maximumQueuedBytes = 16 << 20

    package init() {}
}
