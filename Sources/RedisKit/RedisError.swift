/// The reason for a failed connection to Redis, or for a failed command.
package enum RedisError: Error, Hashable, Sendable, CustomStringConvertible {
    case unreachable(String)
    /// The connection has ended.
    case closed
    case timeout
    /// Redis does not read what it is sent.
    case slow
    /// The received bytes are not Redis' protocol.
    case protocolViolation(RESPError)
    /// An error reply, in Redis' own words.
    case refused(String)

    package var description: String {
        switch self {
        case .unreachable(let reason): "not reached: \(reason)"
        case .closed: "the connection ended"
        case .timeout: "no answer in time"
        case .slow: "it does not read what it is sent"
        case .protocolViolation(let error): "it does not speak Redis' protocol: \(error)"
        case .refused(let words): "it refuses: \(words)"
        }
    }

    /// A remedy for the administrator; nil if only waiting helps.
    package var hint: String? {
        switch self {
        case .unreachable(let reason) where reason == ConnectionProblem.untrusted:
            "name its authority with --redis-cacert"
        case .unreachable(let reason) where reason == ConnectionProblem.noTLS:
            "is that its port for TLS? Without TLS write redis://"
        case .unreachable: "look whether it runs there, and whether a firewall lets us through"
        case .closed: nil
        case .timeout: "is it busy, or does its port speak TLS? Then write rediss://, and else redis://"
        case .slow: nil
        case .protocolViolation: "is that Redis, and its port without TLS?"
        case .refused(let words): Self.hint(for: words)
        }
    }

    /// Finds the remedy for an error reply by its code, which is its first word.
    private static func hint(for refusal: String) -> String? {
        switch refusal.prefix(while: { $0 != " " }) {
        case "WRONGPASS", "NOAUTH": "look at user and password in the address"
        case "NOPERM": "give its user the commands, keys and channels of packaging/cluster/users.acl"
        case "MISCONF", "OOM": "look at its disk and memory"
        case "READONLY": "name the primary, not a replica"
        default: nil
        }
    }
}
