/// The sockets whose clients have gone on under others lately: what is told of them afterwards is old.
struct Departures {
    /// When the client went on, in milliseconds since 1970.
    private var times = RecentEntries<String, Int>(4096)

    mutating func add(_ sid: String, at time: Int) { times[sid] = time }

    mutating func forget(_ sid: String) { times[sid] = nil }

    /// Whether the client has gone on since it was as this says.
    func contains(_ member: RemoteMember) -> Bool { times[member.sid].map { member.since <= $0 } ?? false }
}
