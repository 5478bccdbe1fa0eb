internal import Basics

/// The handlers of responses that are expected from other servers, by request id, limited to the newest 1024.
struct ClusterAcks {
    private var waiting = RecentEntries<String, (JSON) -> Void>(1024)

    /// Registers the handler of responses, and returns the id for the request.
    mutating func expect(_ answer: @escaping (JSON) -> Void) -> String {
        let id = SessionID.random().text
        waiting[id] = answer
        return id
    }

    /// Finds the handler of responses to a request; nil if none are expected.
    func answer(to id: String) -> ((JSON) -> Void)? { waiting[id] }

    /// Removes the handler of a request, so that further responses are ignored.
    mutating func forget(_ id: String) { waiting[id] = nil }

    mutating func forgetAll() { self = ClusterAcks() }
}
