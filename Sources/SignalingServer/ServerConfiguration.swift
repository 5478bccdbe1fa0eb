package import CallCore

/// The settings of a signaling server: its address, its rules for admission, and its limits.
package struct ServerConfiguration: Sendable {
    /// The address to listen on.
    package var host = "127.0.0.1"
    /// The TCP port, 0…65535; 0 stands for any free port.
    package var port = 3000
    /// The web origins that may connect besides the server's own.
    ///
    /// Clients other than browsers send no origin and are admitted.
    package var origin = OriginPolicy.own
    /// The public host names of the server.
    ///
    /// A server on loopback answers only requests for these hosts, loopback names and the hosts of `origin`.
    package var publicHosts = PublicHosts()
    /// Whether `roomId` and `isCaller` are sent as strings, as the original Node.js server does.
    package var stringPayloads = false
    /// Whether a room admits any number of callers and callees, up to its capacity.
    package var openRooms = false
    /// The capacity of an open room, in which each member receives the events of all others.
    package var roomCapacity = 256
    /// The time that a member may stay disconnected before the others are told that it has left.
    package var grace: Duration = .seconds(2)
    /// The maximum number of connections, and of sessions; by default the descriptor limit minus 64.
    package var maximumConnections: Int?
    /// The server's certificate and key; nil for plain HTTP.
    package var tls: TLSCredentials?
    /// The ICE servers sent to each client right after it joins; if empty, none are sent.
    package var iceServers: [ICEServer] = []
    /// The validity of the ICE servers' credentials.
    var iceServersTimeToLive: Duration = .seconds(86_400)
    /// The TURN servers whose credentials are created for each client, sent together with the ICE servers.
    package var turn: TURNCredentials?
    /// The key that room tokens are signed with; if nil, any client may join any room.
    package var tokenKey: TokenKey?
    /// Whether offers and answers are held for peers that join later.
    package var holdsSignals = false
    /// The maximum number of connections, and of sessions, from one address; by default a quarter of the
    /// total.
    package var connectionsPerAddress: Int?
    /// The maximum number of new connections from one address per minute; nil for no limit.
    package var connectionsPerMinute: Int?
    /// The number of messages that a session may send per second; nil for no limit.
    ///
    /// All sessions from one address together may send ten times as many.
    package var messagesPerSecond: Int?
    /// The number of bytes that a session may send per second; nil for no limit.
    ///
    /// All sessions from one address together may send ten times as many.
    package var bytesPerSecond: Int?
    /// The proxies whose `X-Forwarded-For` is trusted; their own connections are not limited.
    package var trustedProxies = TrustedProxies()
    /// Whether the limits per address also apply to loopback addresses.
    var limitsLoopback = false
    /// The time from a pong to the next ping.
    package var pingInterval: Duration = .seconds(25)
    /// The time within which a pong must arrive.
    package var pingTimeout: Duration = .seconds(20)
    /// The time within which a new connection must join a namespace.
    package var connectTimeout: Duration = .seconds(45)
    /// The time within which a connection must send its HTTP request.
    package var requestTimeout: Duration = .seconds(10)
    /// The time within which a client that probes a WebSocket must upgrade to it.
    var upgradeTimeout: Duration = .seconds(10)
    /// The connection to other servers that share the rooms; nil for a single server.
    package var cluster: ClusterConfiguration?
    /// The faults that the server injects on purpose; nil for none.
    package var chaos: ChaosConfiguration?
    /// Creates the connections of tests in place of those to rooms; nil for a server with rooms.
    var makeConnection: (@Sendable (EngineSession, EngineEndpoint) -> any EngineSessionDelegate)?
    /// The maximum size of a message in bytes.
    package var maximumPayload = 1_000_000
    /// The number of bytes that may wait for a slow reader, beyond its socket's buffer.
    ///
    /// A reader with more waiting bytes is disconnected.
    package var maximumQueuedBytes = 2 << 20
    /// The number of bytes that may wait for all slow readers together.
    ///
    /// Beyond that, the reader with the most waiting bytes is disconnected.
    var maximumQueuedBytesInAll = 32 << 20
    /// The time after which a client that reads none of its waiting output is disconnected.
    var readTimeout: Duration = .seconds(10)

    package init() {}
}
