internal import CallCore
internal import Crypto

/// The names of our own keys in Redis.
enum ClusterKeys {
    static let prefix = "callrunner:"
    static let heartbeats = prefix + "node:"

    /// Names the key that exists while that server is alive.
    static func heartbeat(of node: String) -> String { heartbeats + node }

    /// Names the key that exists if that server was stopped; the scripts also know the name.
    static func stop(of node: String) -> String { heartbeat(of: node) + ":stopped" }

    /// Names the key of the member with that role.
    static func seat(_ room: RoomID, _ role: Role) -> String { "\(prefix){\(room)}:\(role)" }

    /// Names the hash of an open room's members by their sockets.
    static func openRoom(_ room: RoomID) -> String { "\(prefix){\(room)}:members" }

    /// Hashes a client's secret key, so that other servers can recognize it but not learn it.
    static func hash(_ key: String, room: RoomID, role: Role) -> String {
        let digest = SHA256.hash(data: Array("callrunner:\(room):\(role):\(key)".utf8))
        return digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
