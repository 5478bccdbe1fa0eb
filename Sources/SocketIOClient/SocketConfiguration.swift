public import Basics
internal import SoupKit

/// The configuration of a client.
public struct SocketConfiguration: Sendable {
    /// The server's URL, with the query of the Engine.IO handshake.
    package let endpoint: SocketEndpoint

    /// The namespace to join.
    public var namespace = "/"
    /// The payload of CONNECT, such as a token for the server's middleware.
    public var auth: JSONObject?
    /// The transports to use, and their order.
    public var transports = SocketTransports.websocketFirst
    /// The servers that are trusted over TLS.
    public var trust = TLSTrust.system
    /// The time limit of one attempt over all transports, from opening the connection to joining the
    /// namespace.
    public var connectTimeout: Duration = .seconds(20)
    /// The waits between attempts.
    ///
    /// After a silent loss (`SocketFailure.isSilent`) the network may be at fault, and other waits apply
    /// until a host responds, for at most a minute: the first attempt starts immediately, each further one
    /// after half a second, and opening a connection is limited to two seconds. A connection that breaks
    /// again within two seconds is retried after the normal wait.
    ///
    /// If no host was reachable, a change of this host's network starts an attempt immediately.
    public var backoff = Backoff()
    /// The maximum size of a received message in bytes; a longer one ends the connection.
    public var maximumPayload = 1 << 20
    /// The maximum number of events that are buffered until there is a connection.
    public var bufferLimit = 256

    /// The clock for deadlines.
    package var clock: any Clock<Duration> = ContinuousClock()
    /// The network of this host.
    package var network = LocalNetwork.system
    /// The source of the backoff's random numbers, in 0..<1.
    package var random: @Sendable () -> Double = { .random(in: 0..<1) }

    /// Creates the configuration for a server.
    ///
    /// - Parameters:
    ///   - url: An `http`, `https`, `ws` or `wss` URL; its path precedes `path`, and its query precedes
    ///     `query`.
    ///   - path: The path of Socket.IO on the server.
    ///   - query: Parameters of the handshake request, in addition to those of Engine.IO.
    /// - Throws: `SocketFailure.invalidURL`.
    public init(url: String, path: String = "/socket.io/", query: [String: String] = [:])
        throws(SocketFailure)
    {
        endpoint = try SocketEndpoint(url: url, path: path, query: query)
    }

    /// Creates the settings for the HTTP requests of a transport.
    ///
    /// `onReached` is called when a host accepts a connection.
    func sessionSettings(onReached: @escaping @Sendable () -> Void) -> HTTPSessionSettings {
        HTTPSessionSettings(
            trust: trust.authorities,
            usesProxies: !endpoint.isLoopback,
            idleLimit: .zero,
            links: TCPLinks(onReached: onReached)
        )
    }
}
