/// The reason for closing a connection before reading from it, or for refusing a session or request.
package enum ConnectionRefusal: Int, TallyKind {
    case tooMany, tooManyOfAddress, tooFastOfAddress, draining, foreignOrigin, foreignHost

    package static let labelName = "reason"

    package var label: String {
        switch self {
        case .tooMany: "too_many"
        case .tooManyOfAddress: "too_many_of_address"
        case .tooFastOfAddress: "too_fast_of_address"
        case .draining: "draining"
        case .foreignOrigin: "foreign_origin"
        case .foreignHost: "foreign_host"
        }
    }
}

/// The reason for disconnecting a client that did not read its output, or did not complete its input.
package enum SlowClient: Int, TallyKind {
    /// More output waited for the client than allowed per client.
    case queueFull
    /// Output waited for the client, and none of it was read for a while; or input was not complete in time.
    case stalled
    /// All clients together had more waiting output or incomplete input than allowed, and this client had the most
    /// output, or the oldest input at the address or network with the most input.
    case overBudget

    package static let labelName = "reason"

    package var label: String {
        switch self {
        case .queueFull: "queue_full"
        case .stalled: "stalled"
        case .overBudget: "over_budget"
        }
    }
}

/// The rate limit that a client has exceeded.
package enum RateLimited: Int, TallyKind {
    case connections, messages, bytes

    package static let labelName = "limit"
    package var label: String { "\(self)" }
}
