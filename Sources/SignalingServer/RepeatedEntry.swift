internal import NIOCore

/// A log entry that clients can trigger at will, written at most once a second with a count.
struct RepeatedEntry {
    private static let interval = TimeAmount.seconds(1)

    private var nextTime: NIODeadline?
    private var unwritten = 0

    /// Counts an occurrence; the result is the number since the last log entry if another entry is due, else
    /// nil.
    mutating func count(at now: NIODeadline) -> Int? {
        unwritten += 1
        if let nextTime, now < nextTime { return nil }
        defer { unwritten = 0 }
        nextTime = now + Self.interval
        return unwritten
    }
}
