/// What carries the packets of an Engine.IO session.
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

/// Why a connection was closed before it could say anything, a session not opened, or a request turned away.
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

/// Why a client was not let into a room, as far as it is counted.
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

/// Why a client's event was passed on to nobody.
enum DroppedEvent: Int, TallyKind {
    /// It gives another in the room as its sender.
    case forgedSender
    /// It gives several senders.
    case ambiguousSender
    /// It is the other role's part, and a room token says which role the client has.
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

/// Why a client was closed that did not read what it was sent.
enum SlowConsumer: Int, TallyKind {
    /// More waited for it than may for one client.
    case queueFull
    /// Of what waited for it nothing was read for a while.
    case stalled
    /// More waited for all clients than may, and the most of that for this one.
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

/// What a client did too often, or too much of.
enum RateLimited: Int, TallyKind {
    case connections, messages, bytes

    static let labelName = "limit"
    var label: String { "\(self)" }
}
