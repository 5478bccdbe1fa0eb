package import NIOCore

/// A limiter for a log entry that clients can trigger: one entry per second at most, with the number of
/// occurrences.
package struct RepeatedEntry {
    private static let interval = TimeAmount.seconds(1)

    private var nextTime: NIODeadline?
    private var unwritten = 0

    package init() {}

    /// Counts an occurrence, and returns the number since the last log entry if a new entry is due, else nil.
    package mutating func count(at now: NIODeadline) -> Int? {
        unwritten += 1
        if let nextTime, now < nextTime { return nil }
        defer { unwritten = 0 }
        nextTime = now + Self.interval
        return unwritten
    }
}
