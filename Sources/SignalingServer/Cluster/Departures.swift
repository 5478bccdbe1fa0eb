/// The sockets whose clients have recently moved on to other sockets; later reports of the old ones are
/// outdated.
struct Departures {
    /// The times of the moves, in milliseconds since 1970.
    private var times = RecentEntries<String, Int>(4096)

    mutating func add(_ sid: String, at time: Int) { times[sid] = time }

    mutating func forget(_ sid: String) { times[sid] = nil }

    /// Determines whether the client has moved on since the state that `member` describes.
    func contains(_ member: RemoteMember) -> Bool { times[member.sid].map { member.since <= $0 } ?? false }
}
