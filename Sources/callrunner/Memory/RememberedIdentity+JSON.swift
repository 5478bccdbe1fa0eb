internal import CallCore
internal import CallFlow
internal import SocketIO

extension RememberedIdentity {
    /// Creates an identity; nil unless the JSON has a valid name, room and role.
    init?(_ json: JSON) {
        guard let name = json["username"]?.stringValue, let username = try? Username(name),
            let number = json["room"]?.intValue, let room = try? RoomID(number),
            let role = json["role"]?.stringValue.flatMap(Role.init)
        else { return nil }
        self.init(identity: Identity(username: username, room: room), role: role)
    }

    var json: JSON {
        [
            "username": .string(identity.username.value), "room": .int(identity.room.value),
            "role": .string(role.rawValue),
        ]
    }
}
