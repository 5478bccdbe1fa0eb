internal import NIOCore

/// The sockets whose clients have gone on under others lately: what is told of them afterwards is old.
struct Departures {
    private static let maximumCount = 4096

    /// When the client went on, in milliseconds since 1970.
    private var times: [String: Int] = [:]
    private var order = CircularBuffer<String>()

    mutating func add(_ sid: String, at time: Int) {
        if times.updateValue(time, forKey: sid) == nil { order.append(sid) }
        if order.count > Self.maximumCount, let oldest = order.popFirst() { times[oldest] = nil }
    }

    mutating func forget(_ sid: String) { times[sid] = nil }

    /// Whether the client has gone on since it was as this says.
    func contains(_ member: RemoteMember) -> Bool { times[member.sid].map { member.since <= $0 } ?? false }
}
