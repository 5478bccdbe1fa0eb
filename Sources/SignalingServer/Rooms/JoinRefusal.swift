internal import Basics
internal import CallCore
internal import HTTPFront

/// The reason for refusing a join.
enum JoinRefusal: Error, Hashable {
    case invalid(IdentityError)
    case invalidKey
    /// Both roles are taken, or an open room has its maximum number of members.
    case roomFull
    /// Another client has the role.
    case roleTaken

    /// The room token does not permit the join.
    case notAuthorized(RoomTokenRefusal)
    /// The server is about to stop; another server may be available after `retryAfter` seconds.
    case draining(retryAfter: Int)

    /// The reason as counted in the metrics.
    var counted: CountedJoinRefusal {
        switch self {
        case .invalid, .invalidKey: .invalid
        case .roomFull: .roomFull
        case .roleTaken: .roleTaken
        case .notAuthorized: .unauthorized
        case .draining: .draining
        }
    }

    /// The name of the reason in packets to clients.
    var label: String {
        switch self {
        case .invalid, .invalidKey: "invalid_field"
        case .roomFull: "room_full"
        case .roleTaken: "role_taken"
        case .notAuthorized: "not_authorized"
        case .draining: "server_draining"
        }
    }

    /// The payload of the CONNECT_ERROR packet.
    var json: JSON {
        switch self {
        case .invalid(let error):
            ["message": .string(error.description), "data": ["field": .string(error.field)]]
        case .invalidKey:
            [
                "message": "key must be a string of 1 to \(JoinRequest.maximumKeyLength) bytes",
                "data": ["field": "key"],
            ]
        case .roomFull, .roleTaken: ["message": .string(label)]
        case .notAuthorized(let refusal):
            [
                "message": .string(label),
                "data": Self.data(refusal),
            ]
        case .draining(let seconds):
            ["message": .string(label), "data": ["retryAfter": .int(seconds)]]
        }
    }

    private static func data(_ refusal: RoomTokenRefusal) -> JSON {
        var data: JSONObject = ["reason": .string(refusal.reason)]
        data["claim"] = refusal.claim.map(JSON.string)
        return .object(data)
    }
}
