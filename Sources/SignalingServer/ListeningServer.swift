/// A signaling server that accepts connections.
package struct ListeningServer: Hashable, Sendable {
    package let host: String
    /// The port that is listened on, also where any free one was asked for.
    package let port: Int

    /// Whether it speaks TLS, and nothing but TLS.
    package let isSecure: Bool

    /// The server's address, as clients are given it: `http://127.0.0.1:3000`.
    package var url: String {
        "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
