internal import CallCore
internal import Crypto

/// The names of our own keys in Redis.
enum ClusterKeys {
    static let prefix = "callrunner:"
    static let heartbeats = prefix + "node:"

    /// Exists for as long as that server lives.
    static func heartbeat(of node: String) -> String { heartbeats + node }

    /// Exists where that server has stopped in good order; the scripts know the name too.
    static func stop(of node: String) -> String { heartbeat(of: node) + ":stopped" }

    /// Who has that role in a room.
    static func seat(_ room: RoomID, _ role: Role) -> String { "\(prefix){\(room)}:\(role)" }

    /// Who is in an open room, by their sockets.
    static func openRoom(_ room: RoomID) -> String { "\(prefix){\(room)}:members" }

    /// By what a client's secret is known to other servers; from it the secret cannot be told.
    static func hash(_ key: String, room: RoomID, role: Role) -> String {
        let digest = SHA256.hash(data: Array("callrunner:\(room):\(role):\(key)".utf8))
        return digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
