internal import Basics
internal import CallCore
internal import SocketIOClient

/// The signaling server and the time limits for it.
package struct SignalingConfiguration: Sendable {
    /// The URL of the server, with the scheme `http`, `https`, `ws` or `wss`.
    package var serverURL: String
    /// The room token, sent in the CONNECT auth and never logged.
    package var token: String?
    /// The path of a PEM file with the certificate authorities trusted for TLS; nil for those of the system.
    package var caCertificate: String?
    /// Whether every certificate is trusted.
    package var insecure = false
    /// The time limit for the first connection.
    package var serverTimeout: Duration = .seconds(10)
    /// Whether the first failed attempt to connect ends the session, for an application that retries by
    /// itself.
    package var failsAtOnce = false
    /// The time to wait for a server's participant list before assuming that the server sends none.
    package var roomStateTimeout: Duration = .milliseconds(500)
    /// Receives the reason why the first attempt to connect has failed, if further ones follow.
    package var whenMissed: @Sendable (_ reason: String) -> Void = { _ in }
    /// The clock of all time limits.
    package var clock: any Clock<Duration> = ContinuousClock()

    package init(serverURL: String) { self.serverURL = serverURL }

    /// The URL without secrets, for display, events and logs.
    package var shownURL: String { serverURL.withoutURLSecrets }

    /// Returns the reach of the server; `address` is its IP address, or nil if that is unknown.
    func place(ofServerAt address: String?) -> HostReach {
        if let address { return HostReach(address: address) ?? .internet }
        let endpoint = try? SocketEndpoint(url: serverURL, path: "/", query: [:])
        guard let host = endpoint?.host else { return .internet }
        // Behind a proxy, any other name may refer to any host.
        return HostReach(address: host) ?? (HostReach(host: host) == .loopback ? .loopback : .internet)
    }
}
