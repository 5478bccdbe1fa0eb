internal import SocketIO

/// The acks asked of one client on behalf of others, the newest few.
struct ForwardedAcks {
    private static let maximumCount = 256

    private var forwards: [Int: ([JSON]) -> Void] = [:]
    private var nextID = 0

    /// Remembers what to do with an ack; the id under which it will come.
    mutating func expect(_ forward: @escaping ([JSON]) -> Void) -> Int {
        defer { nextID += 1 }
        forwards[nextID] = forward
        forwards[nextID - Self.maximumCount] = nil
        return nextID
    }

    /// What to do with the ack of that id; each is taken once, and one never asked for is nil.
    mutating func take(_ id: Int) -> (([JSON]) -> Void)? { forwards.removeValue(forKey: id) }
}
