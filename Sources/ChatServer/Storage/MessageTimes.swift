/// The source of message times in microseconds since 1970; no time is repeated, because clients of the original
/// protocol, which has no message IDs, distinguish messages by their times.
struct MessageTimes: Sendable {
    /// The maximum time in microseconds by which message times may be ahead of the clock: an hour.
    ///
    /// Without this limit, a clock that was once set far ahead would affect the times of all later messages.
    private static let longestLead: Int64 = 3_600_000_000

    /// The latest time that may have been assigned to a message.
    private var last: Int64

    init(last: Int64) { self.last = last }

    /// Reserves consecutive times for `count` messages.
    ///
    /// - Returns: The first of these times.
    mutating func take(_ count: Int, at now: Int64) -> Int64 {
        let first = last - now > Self.longestLead ? now : max(now, last + 1)
        last = first + Int64(count)
        return first
    }
}
