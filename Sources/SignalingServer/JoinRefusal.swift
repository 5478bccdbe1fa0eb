internal import CallCore
internal import SocketIO

/// Why a client is not let into a room.
enum JoinRefusal: Error, Hashable {
    case invalid(IdentityError)
    case invalidKey
    /// Both roles are taken.
    case roomFull
    /// Somebody else has the role.
    case roleTaken

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
        case .roomFull: ["message": "room_full"]
        case .roleTaken: ["message": "role_taken"]
        }
    }
}
