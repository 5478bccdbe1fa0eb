internal import NIOCore

/// The time by which a request must be complete, or by which more of its streamed body must arrive.
///
/// A streamed body gets more time with every part, but over its whole length it must not be slower than a minimum rate.
/// The time while reading is paused does not count.
struct BodyDeadline {
    /// The number of bytes of a streamed body after which the deadline is moved.
    private static let minimumProgress = 16_384
    /// The average rate of a streamed body in bytes per second, below which its connection is closed.
    static let minimumRate = 5000
    /// The time from the start of a request during which its streamed body may be slower than `minimumRate`.
    private static let rateGrace = TimeAmount.seconds(30)

    /// The current deadline.
    private(set) var time = NIODeadline.distantFuture
    private var timeout = TimeAmount.zero
    private var start = NIODeadline.distantPast
    /// The time at which reading was paused; nil if it is not paused.
    private var pause: NIODeadline?
    /// The number of bytes that have arrived.
    private var total = 0
    /// The number of bytes that have arrived since the deadline was set.
    private var progress = 0

    /// Starts the deadline of a request whose body, or its first part if it is streamed, must arrive within `timeout`.
    mutating func begin(at now: NIODeadline, within timeout: TimeAmount) {
        self = BodyDeadline()
        (self.timeout, start, time) = (timeout, now, now + timeout)
    }

    /// Moves the deadline to `timeout` after the start of the request, if that is earlier.
    mutating func shorten(to timeout: TimeAmount) { time = min(time, start + timeout) }

    mutating func beginPause(at now: NIODeadline) { pause = pause ?? now }

    /// Postpones the deadline by exactly the duration of the pause; otherwise, a slow client could extend it forever.
    mutating func endPause(at now: NIODeadline) {
        guard let pause else { return }
        self.pause = nil
        time = time + (now - pause)
        start = start + (now - pause)
    }

    /// Counts bytes of a streamed body; true if the deadline has changed.
    mutating func receive(_ count: Int, at now: NIODeadline) -> Bool {
        total += count
        progress += count
        guard progress >= Self.minimumProgress else { return false }
        progress = 0
        let milliseconds = Int64(total) * 1000 / Int64(Self.minimumRate)
        time = min(now + timeout, start + max(Self.rateGrace, .milliseconds(milliseconds)))
        return true
    }
}
