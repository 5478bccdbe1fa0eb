internal import SocketIO

/// The pending acks that one client owes to others, limited to the newest.
struct ForwardedAcks {
    private static let maximumCount = 256

    private var forwards: [Int: ([JSON]) -> Void] = [:]
    private var nextID = 0

    /// Registers the handler of an ack, and creates the id under which the ack arrives.
    mutating func expect(_ forward: @escaping ([JSON]) -> Void) -> Int {
        defer { nextID += 1 }
        forwards[nextID] = forward
        forwards[nextID - Self.maximumCount] = nil
        return nextID
    }

    /// Removes the handler of the ack with that id; nil if none was requested or it was taken already.
    mutating func take(_ id: Int) -> (([JSON]) -> Void)? { forwards.removeValue(forKey: id) }
}
