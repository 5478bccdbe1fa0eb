internal import Basics

/// The handlers of acks that are requested from one client, limited to the newest 256.
struct ForwardedAcks {
    private static let maximumCount = 256

    private var forwards: [Int: ([JSON]) -> Void] = [:]
    private var nextID: Int32 = 0

    /// Registers the handler of an ack, and returns the id with which the ack is requested.
    mutating func expect(_ forward: @escaping ([JSON]) -> Void) -> Int {
        let id = Int(nextID)
        // A client may take years to use up the ids; they then begin anew.
        nextID = max(0, nextID &+ 1)
        forwards[id] = forward
        forwards[id - Self.maximumCount] = nil
        return id
    }

    /// Removes and returns the handler of an ack; nil if the ack was not requested or has arrived before.
    mutating func take(_ id: Int) -> (([JSON]) -> Void)? { forwards.removeValue(forKey: id) }
}
