/// Why a signaling server does not listen.
package enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Somebody else listens there already.
    case addressInUse(host: String, port: Int)
    case bind(String)
    /// What Redis is to be spoken to with is no good.
    case redis(String)

    package var description: String {
        switch self {
        case .addressInUse(let host, let port): "\(host):\(port) is in use"
        case .bind(let message): "cannot listen: \(message)"
        case .redis(let message): "Redis cannot be used: \(message)"
        }
    }
}
