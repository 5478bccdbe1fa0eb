/// An error that prevents a signaling server from listening.
package enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process already listens on the address and port.
    case addressInUse(host: String, port: Int)
    case bind(String)
    /// The configuration for Redis is invalid.
    case redis(String)

    package var description: String {
        switch self {
        case .addressInUse(let host, let port): "\(host):\(port) is in use"
        case .bind(let message): "cannot listen: \(message)"
        case .redis(let message): "Redis cannot be used: \(message)"
        }
    }
}
