internal import NIOCore
internal import SocketIO

/// Acks that are asked of clients of other servers, or lists that other servers are asked for; the newest few.
struct ClusterAcks {
    private static let maximumCount = 1024

    private var waiting: [String: (JSON) -> Void] = [:]
    private var order = CircularBuffer<String>()

    /// Remembers what to do with an answer; the id of the request.
    mutating func expect(_ answer: @escaping (JSON) -> Void) -> String {
        let id = SessionID.random().text
        waiting[id] = answer
        order.append(id)
        if order.count > Self.maximumCount, let oldest = order.popFirst() { waiting[oldest] = nil }
        return id
    }

    /// What to do with an answer to that request; nil where it was not asked here.
    func answer(to id: String) -> ((JSON) -> Void)? { waiting[id] }

    /// Takes no more answers to that request.
    mutating func forget(_ id: String) { waiting[id] = nil }

    mutating func forgetAll() {
        waiting = [:]
        order = []
    }
}
