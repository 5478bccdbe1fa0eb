internal import SocketIO

/// Acks that are asked of clients of other servers, or lists that other servers are asked for; the newest few.
struct ClusterAcks {
    private var waiting = RecentEntries<String, (JSON) -> Void>(1024)

    /// Remembers what to do with an answer; the id of the request.
    mutating func expect(_ answer: @escaping (JSON) -> Void) -> String {
        let id = SessionID.random().text
        waiting[id] = answer
        return id
    }

    /// What to do with an answer to that request; nil where it was not asked here.
    func answer(to id: String) -> ((JSON) -> Void)? { waiting[id] }

    /// Takes no more answers to that request.
    mutating func forget(_ id: String) { waiting[id] = nil }

    mutating func forgetAll() { self = ClusterAcks() }
}
