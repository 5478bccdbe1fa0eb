/// The identity of a participant: its name and its room.
package struct Identity: Hashable, Sendable {
    package let username: Username
    package let room: RoomID

    package init(username: Username, room: RoomID) {
        self.username = username
        self.room = room
    }
}

/// An invalid field in the data with which a participant joins; the value is the invalid text.
package enum IdentityError: Error, Hashable, Sendable, CustomStringConvertible {
    case roomID(String), username(String), isCaller(String)

    /// The name of the field in the signaling protocol.
    package var field: String {
        switch self {
        case .roomID: "roomId"
        case .username: "username"
        case .isCaller: "isCaller"
        }
    }

    package var description: String {
        switch self {
        case .roomID(let text):
            "roomId must be a whole number from 1 to \(RoomID.range.upperBound), not “\(text)”"
        case .username:
            """
            username must have 1 to \(Username.maximumLength) characters, \(4 * Username.maximumLength) bytes at \
            most, and no control or invisible characters
            """
        case .isCaller(let text):
            "isCaller must be true, false, 1 or 0, not “\(text)”"
        }
    }
}
