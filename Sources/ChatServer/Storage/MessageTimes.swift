/// The times of messages in microseconds since 1970, which never repeat, because plain clients tell messages apart by them.
struct MessageTimes: Sendable {
    /// The time in microseconds by which messages may be ahead of the clock: an hour.
    ///
    /// A clock that was once set far ahead would otherwise set the times of all later messages.
    private static let longestLead: Int64 = 3_600_000_000

    /// The last time that a message may have got.
    private var last: Int64

    init(last: Int64) { self.last = last }

    /// Takes as many times as there are messages.
    ///
    /// - Returns: The first of them, which the others follow.
    mutating func take(_ count: Int, at now: Int64) -> Int64 {
        let first = last - now > Self.longestLead ? now : max(now, last + 1)
        last = first + Int64(count)
        return first
    }
}
