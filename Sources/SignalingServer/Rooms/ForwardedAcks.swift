/// The acks asked of one client on behalf of others, the newest few.
struct ForwardedAcks {
    private static let maximumCount = 256

    struct Forward {
        weak var origin: SocketConnection?
        let id: Int
    }

    private var forwards: [Int: Forward] = [:]
    private var nextID = 0

    /// Remembers to whom an ack goes; the id under which it will come.
    mutating func expect(_ id: Int, from origin: SocketConnection) -> Int {
        defer { nextID += 1 }
        forwards[nextID] = Forward(origin: origin, id: id)
        forwards[nextID - Self.maximumCount] = nil
        return nextID
    }

    /// To whom the ack of that id goes; each is taken once, and one never asked for is nil.
    mutating func take(_ id: Int) -> Forward? { forwards.removeValue(forKey: id) }
}
