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

/// Why a connection was closed before it could say anything, or a session not opened.
enum ConnectionRefusal: Int, TallyKind {
    case tooMany, tooManyOfAddress, tooFastOfAddress, draining

    static let labelName = "reason"

    var label: String {
        switch self {
        case .tooMany: "too_many"
        case .tooManyOfAddress: "too_many_of_address"
        case .tooFastOfAddress: "too_fast_of_address"
        case .draining: "draining"
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

/// What a client did too often.
enum RateLimited: Int, TallyKind {
    case connections, messages

    static let labelName = "limit"
    var label: String { "\(self)" }
}
