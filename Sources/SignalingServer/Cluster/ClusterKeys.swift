internal import CallCore
internal import Crypto

/// The names of callrunner's keys in Redis.
enum ClusterKeys {
    static let prefix = "callrunner:"
    static let heartbeats = prefix + "node:"

    /// Returns the name of the key that a server's heartbeats set, and that expires without them.
    static func heartbeat(of node: String) -> String { heartbeats + node }

    /// Returns the name of the key that marks a server as stopped; the Lua scripts also contain its suffix.
    static func stop(of node: String) -> String { heartbeat(of: node) + ":stopped" }

    /// Returns the name of the key that stores the member with the given role in a room.
    static func seat(_ room: RoomID, _ role: Role) -> String { "\(prefix){\(room)}:\(role)" }

    /// Returns the name of the hash that stores the members of an open room by the ids of their sockets.
    static func openRoom(_ room: RoomID) -> String { "\(prefix){\(room)}:members" }

    /// Hashes a client's secret key, so that other servers can compare keys without knowing them.
    static func hash(_ key: String, room: RoomID, role: Role) -> String {
        let digest = SHA256.hash(data: Array("callrunner:\(room):\(role):\(key)".utf8))
        return digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
