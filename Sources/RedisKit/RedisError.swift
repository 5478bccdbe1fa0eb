/// Why Redis cannot be spoken to.
package enum RedisError: Error, Hashable, Sendable, CustomStringConvertible {
    case unreachable(String)
    /// The connection ended.
    case closed
    case timeout
    /// It does not read what it is sent.
    case slow
    /// What it says is not its protocol.
    case protocolViolation(RESPError)
    /// It refuses, in its own words.
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
}
