internal import CallCore
internal import SocketIOClient

/// Which signaling server to use, and how patiently.
package struct SignalingConfiguration: Sendable {
    /// An `http`, `https`, `ws` or `wss` URL.
    package var serverURL: String
    /// A room token, sent in the CONNECT auth; never logged.
    package var token: String?
    /// A PEM file of the authorities to trust over TLS, instead of the system's.
    package var caCertificate: String?
    /// Whether to trust every certificate.
    package var insecure = false
    /// The limit of the first connection.
    package var serverTimeout: Duration = .seconds(10)
    /// How long a server may take to tell who is in the room, before it counts as one that does not.
    package var roomStateTimeout: Duration = .milliseconds(500)
    /// What deadlines run on.
    package var clock: any Clock<Duration> = ContinuousClock()

    package init(serverURL: String) { self.serverURL = serverURL }

    /// The address for people, events and logs, without what may be secret in it.
    var shownURL: String { serverURL.withoutURLSecrets }

    /// Where the server is that was reached at `address`; nil where nobody knows the address.
    func place(ofServerAt address: String?) -> HostReach {
        if let address { return HostReach(address: address) ?? .internet }
        let endpoint = try? SocketEndpoint(url: serverURL, path: "/", query: [:])
        guard let host = endpoint?.host else { return .internet }
        // Behind a proxy any other name may stand for anything.
        return HostReach(address: host) ?? (HostReach(host: host) == .loopback ? .loopback : .internet)
    }
}
