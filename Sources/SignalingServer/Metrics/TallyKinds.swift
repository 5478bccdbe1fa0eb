internal import HTTPFront

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
