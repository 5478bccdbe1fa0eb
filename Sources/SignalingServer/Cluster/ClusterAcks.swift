internal import SocketIO

/// Pending acks of remote clients, or pending member lists of foreign servers, limited to the newest 1024.
struct ClusterAcks {
    private var waiting = RecentEntries<String, (JSON) -> Void>(1024)

    /// Registers the handler of responses, and creates the id of the request.
    mutating func expect(_ answer: @escaping (JSON) -> Void) -> String {
        let id = SessionID.random().text
        waiting[id] = answer
        return id
    }

    /// Finds the handler of responses to that request; nil if it was not sent by this server.
    func answer(to id: String) -> ((JSON) -> Void)? { waiting[id] }

    /// Ignores further responses to that request.
    mutating func forget(_ id: String) { waiting[id] = nil }

    mutating func forgetAll() { self = ClusterAcks() }
}
