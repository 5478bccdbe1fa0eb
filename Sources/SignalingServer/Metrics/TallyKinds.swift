/// The transport of an Engine.IO session.
enum SessionTransport: Int, TallyKind {
    case polling, websocket

    static let labelName = "transport"
    var label: String { "\(self)" }

    init(_ kind: TransportKind) {
        self =
            switch kind {
            case .polling: .polling
            case .websocket: .websocket
            }
    }
}

/// The reason for closing a connection before reading from it, or for refusing a session or request.
enum ConnectionRefusal: Int, TallyKind {
    case tooMany, tooManyOfAddress, tooFastOfAddress, draining, foreignOrigin, foreignHost

    static let labelName = "reason"

    var label: String {
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

/// The reason for refusing a join, as counted in the metrics.
enum CountedJoinRefusal: Int, TallyKind {
    case roomFull, roleTaken, invalid, unauthorized, draining

    static let labelName = "reason"

    var label: String {
        switch self {
        case .roomFull: "room_full"
        case .roleTaken: "role_taken"
        case .invalid, .unauthorized, .draining: "\(self)"
        }
    }
}

/// The reason for not relaying a client's event.
enum DroppedEvent: Int, TallyKind {
    /// The event names another member of the room as its sender.
    case forgedSender
    /// The event contains several `from` members, of which some parsers use the first and others the last.
    case ambiguousSender
    /// The event is a callee's offer or a caller's answer, and the client's room token fixes its role.
    case otherRole

    static let labelName = "reason"

    var label: String {
        switch self {
        case .forgedSender: "forged_sender"
        case .ambiguousSender: "ambiguous_sender"
        case .otherRole: "other_role"
        }
    }
}

/// The reason for disconnecting a client that did not read its output.
enum SlowConsumer: Int, TallyKind {
    /// More output waited for the client than allowed per client.
    case queueFull
    /// Output waited for the client, and none of it was read for a while.
    case stalled
    /// More output waited for all clients than allowed, and this client had the longest queue.
    case overBudget

    static let labelName = "reason"

    var label: String {
        switch self {
        case .queueFull: "queue_full"
        case .stalled: "stalled"
        case .overBudget: "over_budget"
        }
    }
}

/// The rate limit that a client has exceeded.
enum RateLimited: Int, TallyKind {
    case connections, messages, bytes

    static let labelName = "limit"
    var label: String { "\(self)" }
}
