internal import Basics
internal import CallCore
internal import SocketIO

/// The events that the server itself sends to the members of a room.
struct RoomPayloads {
    /// The events that only the server may emit.
    private static let reservedNames: [StaticString] = [
        "room_user_joined", "room_user_left", "room_state", "ice_servers", "server_draining",
    ]

    static func isReserved(_ name: String) -> Bool {
        let name = name.protocolWord
        return reservedNames.contains { $0.description == name }
    }

    static func isReserved(_ event: EventScan, in text: Span<UInt8>) -> Bool {
        for name in reservedNames where event.matches(name, in: text) { return true }
        return false
    }

    /// Whether numbers and Booleans are sent as strings, as the original Node.js server does.
    let areStrings: Bool

    func joined(_ member: some Occupant) -> SocketPacket { .event("room_user_joined", [participant(member)]) }

    func left(_ member: some Occupant) -> SocketPacket {
        .event(
            "room_user_left",
            [["username": .string(member.identity.username.value), "isCaller": isCaller(member)]]
        )
    }

    /// Creates the `room_state` event; `isDegraded` is whether members on other servers are unknown.
    func state(_ members: [any Occupant], isDegraded: Bool) -> SocketPacket {
        var state: JSONObject = ["peers": .array(members.map { participant($0) })]
        if isDegraded { state["degraded"] = true }
        return .event("room_state", [.object(state)])
    }

    func iceServers(_ servers: [ICEServer], timeToLive: Duration) -> SocketPacket {
        let list = servers.map { server in
            var json: JSONObject = ["urls": .array(server.urls.map(JSON.string))]
            json["username"] = server.username.map(JSON.string)
            json["credential"] = server.credential.map(JSON.string)
            return JSON.object(json)
        }
        let seconds = Int(clamping: timeToLive.components.seconds)
        return .event("ice_servers", [["iceServers": .array(list), "ttl": .int(seconds)]])
    }

    func draining(retryIn seconds: Int) -> SocketPacket {
        .event("server_draining", [["retryIn": .int(seconds)]])
    }

    private func participant(_ member: some Occupant) -> JSON {
        let room = member.identity.room.value
        return [
            "username": .string(member.identity.username.value),
            "roomId": areStrings ? .string("\(room)") : .int(room),
            "isCaller": isCaller(member),
        ]
    }

    private func isCaller(_ member: some Occupant) -> JSON {
        let isCaller = member.role == .caller
        return areStrings ? .string("\(isCaller)") : .bool(isCaller)
    }
}
