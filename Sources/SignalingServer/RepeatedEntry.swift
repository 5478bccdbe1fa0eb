internal import NIOCore

/// A log entry for what strangers can make happen at will: written once a second at most, with a count.
struct RepeatedEntry {
    private static let interval = TimeAmount.seconds(1)

    private var nextTime: NIODeadline?
    private var unwritten = 0

    /// Notes that it happened; how often it did since the last entry, where one is to be written now.
    mutating func count(at now: NIODeadline) -> Int? {
        unwritten += 1
        if let nextTime, now < nextTime { return nil }
        defer { unwritten = 0 }
        nextTime = now + Self.interval
        return unwritten
    }
}
