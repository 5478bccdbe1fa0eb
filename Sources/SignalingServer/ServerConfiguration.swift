package import CallCore
package import HTTPFront

/// The settings of a signaling server: its address, its rules for admission, and its limits.
package struct ServerConfiguration: Sendable {
    /// The address to listen on.
    package var host = "127.0.0.1"
    /// The TCP port, 0…65535; 0 stands for any free port.
    package var port = 3000
    /// The web origins that may connect besides the server's own.
    ///
    /// A request without an origin, which most clients other than browsers send, is admitted unless a browser marks it
    /// as coming from a page of another origin. Links from other origins to the server's pages are admitted.
    package var origin = OriginPolicy.own
    /// The public host names of the server.
    ///
    /// If any are given, or if the server listens on a loopback address, it answers only requests for these hosts, for
    /// loopback names, for `host` and for the hosts of `origin`. A server that is not on loopback also answers requests
    /// for IP addresses. If `origin` admits every page, the server answers requests for any host.
    package var publicHosts = PublicHosts()
    /// Whether `roomId` and `isCaller` are sent as strings, as the original Node.js server does.
    package var stringPayloads = false
    /// Whether a room admits any number of callers and callees, up to its capacity.
    package var openRooms = false
    /// The maximum number of members in an open room (see `openRooms`).
    package var roomCapacity = 256
    /// The time within which a client may return after it has lost its connection; later, it is reported as
    /// having left.
    package var grace: Duration = .seconds(2)
    /// The maximum number of connections, and separately of sessions; nil for the descriptor limit minus 64.
    package var maximumConnections: Int?
    /// The server's certificate and key; nil for plain HTTP.
    package var tls: TLSCredentials?
    /// The ICE servers sent to each client right after it joins; if there are none and `turn` is nil, nothing is
    /// sent.
    package var iceServers: [ICEServer] = []
    /// The lifetime of the credentials in `iceServers` that is reported to clients.
    var iceServersTimeToLive: Duration = .seconds(86_400)
    /// The TURN servers for which credentials are created per client; nil for none.
    ///
    /// They are sent together with `iceServers`.
    package var turn: TURNCredentials?
    /// The key for verifying the room tokens of clients; nil if any client may join any room without a token.
    package var tokenKey: TokenKey?
    /// The check of tokens other than room tokens, which is used if `tokenKey` is set; nil to accept only room tokens.
    package var passCheck: RoomPass.Check?
    /// Whether offers, answers and their ICE candidates are stored for peers that join later.
    package var holdsSignals = false
    /// The maximum number of connections from one address, and separately of sessions; nil for a quarter of
    /// `maximumConnections`.
    package var connectionsPerAddress: Int?
    /// The average number of connections that one address may open per minute, which is also the maximum burst; nil for
    /// no limit.
    package var connectionsPerMinute: Int?
    /// The average number of messages that a session may send per second; nil for no limit.
    ///
    /// All sessions from one address together may send ten times as many.
    package var messagesPerSecond: Int?
    /// The average number of bytes that a session may send per second; nil for no limit.
    ///
    /// All sessions from one address together may send ten times as many.
    package var bytesPerSecond: Int?
    /// The proxies whose `X-Forwarded-For` is trusted; the limits on connections per address do not apply to
    /// the connections of these proxies.
    package var trustedProxies = TrustedProxies()
    /// Whether the limits per address also apply to loopback addresses.
    var limitsLoopback = false
    /// The time from a pong to the next ping.
    package var pingInterval: Duration = .seconds(25)
    /// The time within which a pong must arrive.
    package var pingTimeout: Duration = .seconds(20)
    /// The time within which a new session must join a namespace.
    package var connectTimeout: Duration = .seconds(45)
    /// The time within which a connection must send its HTTP request.
    package var requestTimeout: Duration = .seconds(10)
    /// The time within which a client must complete an upgrade after opening a WebSocket for it.
    var upgradeTimeout: Duration = .seconds(10)
    /// The settings for sharing the rooms with other servers; nil for a single server.
    package var cluster: ClusterConfiguration?
    /// The faults that the server injects on purpose; nil for none.
    package var chaos: ChaosConfiguration?
    /// Creates the session delegates in tests that need no rooms; nil for a server with rooms.
    var makeConnection: (@Sendable (EngineSession, EngineEndpoint) -> any EngineSessionDelegate)?
    /// The maximum size of a message in bytes.
    package var maximumPayload = 1_000_000
    /// The maximum number of bytes that may wait to be sent to one client, beyond its socket's send buffer.
    ///
    /// A client that reads too slowly and exceeds the limit is disconnected.
    package var maximumQueuedBytes = 2 << 20
    /// The maximum number of bytes that may wait to be sent to all clients together.
    ///
    /// If it is exceeded, the client with the most waiting bytes is disconnected.
    var maximumQueuedBytesInAll = 32 << 20
    /// The maximum number of bytes of messages that clients have not sent completely, of all clients together.
    ///
    /// If it is exceeded, the client whose message has taken the longest is disconnected, among those at the address or
    /// network with the most such bytes.
    var maximumIncompleteBytesInAll = 32 << 20
    /// The time after which a client that reads none of its waiting output is disconnected.
    var readTimeout: Duration = .seconds(10)

    package init() {}
}
