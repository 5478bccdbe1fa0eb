public import SocketIO

/// Where a client connects to, and how.
public struct SocketConfiguration: Sendable {
    /// The server's address, with the query of the Engine.IO handshake.
    package let endpoint: SocketEndpoint

    /// The namespace to join.
    public var namespace = "/"
    /// What CONNECT carries: a token, for example, that the server's middleware reads.
    public var auth: JSONObject?
    /// Which transports to use.
    public var transports = SocketTransports.websocketFirst
    /// Which servers to trust where the URL asks for TLS.
    public var trust = TLSTrust.system
    /// The limit of one attempt, whatever transports it tries, from opening the connection to the answer to CONNECT.
    public var connectTimeout: Duration = .seconds(20)
    /// The waits between attempts.
    ///
    /// They do not hold after a loss that nobody told of (`SocketFailure.isSilent`), because the network may
    /// be at fault: until anybody answers, for a minute at most, the first attempt follows at once and each
    /// further one after half a second, and a host has two seconds to take the connection. A connection that
    /// breaks again within two seconds is waited for all the same. Nor do they hold where the network of this
    /// machine changes while no host can be reached, which is followed by an attempt at once.
    public var backoff = Backoff()
    /// Bytes that one message of the server may have; a longer one ends the connection.
    public var maximumPayload = 1 << 20
    /// Events that wait for a connection at most.
    public var bufferLimit = 256

    /// What deadlines run on.
    package var clock: any Clock<Duration> = ContinuousClock()
    /// The network that connections go over.
    package var network = LocalNetwork.system
    /// The backoff's random numbers, in 0..<1.
    package var random: @Sendable () -> Double = { .random(in: 0..<1) }

    /// The configuration for a server's address.
    ///
    /// - Parameters:
    ///   - url: an `http`, `https`, `ws` or `wss` URL; a path in it is put before `path`, and its query
    ///     before `query`.
    ///   - path: where the server has Socket.IO.
    ///   - query: what the handshake request carries beside the parameters of Engine.IO.
    /// - Throws: `SocketFailure.invalidURL`.
    public init(url: String, path: String = "/socket.io/", query: [String: String] = [:])
        throws(SocketFailure)
    {
        endpoint = try SocketEndpoint(url: url, path: path, query: query)
    }

    /// The settings of a transport's requests; `onReached` is called when a host has taken a connection.
    func sessionSettings(onReached: @escaping @Sendable () -> Void) -> SessionSettings {
        SessionSettings(trust: trust, links: TCPLinks(onReached: onReached))
    }
}
