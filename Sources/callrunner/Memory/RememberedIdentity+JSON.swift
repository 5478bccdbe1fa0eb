internal import CallCore
internal import CallFlow
internal import SocketIO

extension RememberedIdentity {
    /// Nil for anything that names no person, room and role.
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
