package import CallCore

/// How a signaling server listens, whom it lets in and what it bears.
package struct ServerConfiguration: Sendable {
    /// The address to listen on.
    package var host = "127.0.0.1"
    /// The TCP port, 0…65535; 0 stands for any free one.
    package var port = 3000
    /// The web origins that may connect besides the server's own; clients that are no browser name none and are
    /// let in.
    package var origin = OriginPolicy.own
    /// Names by which the server is reached from elsewhere; one on loopback answers under no others than
    /// loopback's, those of `origin`, and these.
    package var publicHosts = PublicHosts()
    /// Whether `roomId` and `isCaller` are written as strings, as the seed's own server does.
    package var stringPayloads = false
    /// Whether a room takes any number of callers and callees, up to its capacity.
    package var openRooms = false
    /// How many an open room takes: each hears what all the others say.
    package var roomCapacity = 256
    /// How long a member whose connection was lost may stay away before the others are told.
    package var grace: Duration = .seconds(2)
    /// Connections borne at a time, and sessions as many; by default the limit of descriptors less 64.
    package var maximumConnections: Int?
    /// What the server proves itself with; without it, it speaks plain HTTP.
    package var tls: TLSCredentials?
    /// What everybody is told to reach peers with, right after joining; nothing is said of none.
    package var iceServers: [ICEServer] = []
    /// How long the ICE servers' credentials hold.
    package var iceServersTimeToLive: Duration = .seconds(86_400)
    /// TURN servers whose credentials are made for each newcomer, told together with the ICE servers.
    package var turn: TURNCredentials?
    /// What room tokens are signed with; nil lets anybody into any room.
    package var tokenKey: TokenKey?
    /// Whether offers and answers are kept for peers that come later.
    package var holdsSignals = false
    /// Connections that an address may have at a time, and sessions as many; by default a quarter of all.
    package var connectionsPerAddress: Int?
    /// Connections that an address may open in a minute; nil stands for any number.
    package var connectionsPerMinute: Int?
    /// Messages that a session may send in a second, and all of an address ten times as many; nil stands for
    /// any number.
    package var messagesPerSecond: Int?
    /// Bytes that a session may send in a second, and all of an address ten times as many; nil stands for any
    /// number.
    package var bytesPerSecond: Int?
    /// Proxies whose word on whom they forward for is believed; their own connections are not limited.
    package var trustedProxies = TrustedProxies()
    /// Whether the limits of addresses hold for this machine's own too.
    package var limitsLoopback = false
    /// From a pong to the next ping.
    package var pingInterval: Duration = .seconds(25)
    /// Within what time a pong is due.
    package var pingTimeout: Duration = .seconds(20)
    /// Within what time a new connection has to join a namespace.
    package var connectTimeout: Duration = .seconds(45)
    /// Within what time a connection has to make its HTTP request.
    package var requestTimeout: Duration = .seconds(10)
    /// Within what time a client that tries a WebSocket has to change over to it.
    package var upgradeTimeout: Duration = .seconds(10)
    /// The other servers that share the rooms, and how they are reached; nil for a server that is alone.
    package var cluster: ClusterConfiguration?
    /// What the server does wrong on purpose; nil where it does not.
    package var chaos: ChaosConfiguration?
    /// Whether this is the server that the official test suites expect, without rooms.
    package var isConformanceServer = false
    /// Bytes that one message may have.
    package var maximumPayload = 1_000_000
    /// Bytes that may wait for a slow reader, beyond what its socket takes, before it is dropped.
    package var maximumQueuedBytes = 2 << 20
    /// Bytes that may wait for all slow readers together before the one with the most is dropped.
    package var maximumQueuedBytesInAll = 32 << 20
    /// How long what waits for a reader may wait without any of it being read before it is dropped.
    package var readTimeout: Duration = .seconds(10)

    package init() {}

    /// The server that the official suites of Engine.IO 4 and Socket.IO 5 expect at port 3000.
    package static var conformance: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.isConformanceServer = true
        configuration.pingInterval = .milliseconds(300)
        configuration.pingTimeout = .milliseconds(200)
        configuration.connectTimeout = .seconds(1)
        configuration.maximumPayload = 1_000_000
        return configuration
    }
}
