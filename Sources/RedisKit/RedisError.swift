/// The reason for a failed connection to Redis, or for a failed command.
package enum RedisError: Error, Hashable, Sendable, CustomStringConvertible {
    case unreachable(String)
    /// The connection has ended.
    case closed
    case timeout
    /// Redis does not read the commands that are sent to it.
    case slow
    /// The received bytes violate the Redis protocol, or exceed a limit of `RESPParser`.
    case protocolViolation(RESPError)
    /// Redis sent an error reply, whose text is the associated value.
    case refused(String)

    package var description: String {
        switch self {
        case .unreachable(let reason): "unreachable: \(reason)"
        case .closed: "the connection was closed"
        case .timeout: "no reply in time"
        case .slow: "Redis does not read the commands sent to it"
        case .protocolViolation(let error): "the server does not speak the Redis protocol: \(error)"
        case .refused(let words): "refused: \(words)"
        }
    }

    /// A hint for the administrator; nil if none is known.
    package var hint: String? {
        switch self {
        case .unreachable(let reason) where reason == ConnectionProblem.untrusted:
            "give its certificate authority with --redis-cacert"
        case .unreachable(let reason) where reason == ConnectionProblem.noTLS:
            "check that its port speaks TLS; without TLS write redis://"
        case .unreachable: "check that Redis is running there, and that no firewall blocks the connection"
        case .closed: nil
        case .timeout: "check its load; if its port speaks TLS, write rediss://, otherwise redis://"
        case .slow: nil
        case .protocolViolation:
            "check that Redis listens there; if its port speaks TLS, write rediss://, otherwise redis://"
        case .refused(let words): Self.hint(for: words)
        }
    }

    /// Returns the hint for an error reply by its error code, the first word; nil if the code has no hint.
    private static func hint(for refusal: String) -> String? {
        switch refusal.prefix(while: { $0 != " " }) {
        case "WRONGPASS", "NOAUTH": "check the user and password in the URL"
        case "NOPERM":
            "give the user in the URL access to the commands, keys and channels in packaging/cluster/users.acl"
        case "MISCONF", "OOM": "check its disk space and memory"
        case "READONLY": "give the address of the primary, not of a replica"
        default: nil
        }
    }
}
