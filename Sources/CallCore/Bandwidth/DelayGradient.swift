/// The change of the one-way delay from one burst of packets to the next (draft-ietf-rmcat-gcc-02 §5.2–5.3).
///
/// Packets sent within 5 ms form one burst; so do packets that arrive together after the path was interrupted. An
/// accumulated delay that rises over the last bursts indicates a filling queue.
struct DelayGradient: Hashable, Sendable {
    private static let burst = 0.005
    private static let window = 20
    private static let smoothing = 0.9
    /// The minimum delay change, in seconds, that is attributed to another clock or path instead of a filling queue.
    private static let jump = 3.0

    private struct Group: Hashable {
        var firstSent: Double
        var sent: Double
        var arrived: Double
    }

    private struct Point: Hashable {
        var time: Double
        var delay: Double
    }

    private var group: Group?
    private var previous: Group?
    private var accumulated = 0.0
    private var smoothed = 0.0
    private var origin: Double?
    private var points: [Point] = []
    /// The number of delay changes measured, at most 60; a slope computed from few changes is unreliable.
    private(set) var count = 0

    /// The growth of the delay in seconds per second over the window; 0 until the window is full.
    var slope: Double {
        guard points.count >= Self.window else { return 0 }
        let count = Double(points.count)
        let meanTime = points.reduce(0) { $0 + $1.time } / count
        let meanDelay = points.reduce(0) { $0 + $1.delay } / count
        let spread = points.reduce(0) { $0 + ($1.time - meanTime) * ($1.time - meanTime) }
        guard spread > 1e-12 else { return 0 }
        return points.reduce(0) { $0 + ($1.time - meanTime) * ($1.delay - meanDelay) } / spread
    }

    /// Adds a packet that arrived; packets must be added in sending order.
    ///
    /// - Returns: the arrival time of the burst that this packet ends, if its delay change was added to the
    ///   window; else nil.
    mutating func add(sent: Double, arrived: Double) -> Double? {
        guard var current = group else {
            group = Group(firstSent: sent, sent: sent, arrived: arrived)
            return nil
        }
        guard sent >= current.firstSent else { return nil }  // late feedback for an older burst
        if belongs(sent: sent, arrived: arrived, to: current) {
            current.sent = max(current.sent, sent)
            current.arrived = max(current.arrived, arrived)
            group = current
            return nil
        }
        defer {
            previous = current
            group = Group(firstSent: sent, sent: sent, arrived: arrived)
        }
        guard let previous else { return nil }
        let change = (current.arrived - previous.arrived) - (current.sent - previous.sent)
        guard abs(change) < Self.jump, current.arrived >= previous.arrived else {
            reset()
            return nil
        }
        append(change, at: current.arrived)
        return current.arrived
    }

    private func belongs(sent: Double, arrived: Double, to group: Group) -> Bool {
        if sent - group.firstSent <= Self.burst { return true }
        let change = (arrived - group.arrived) - (sent - group.sent)
        return change < 0 && arrived - group.arrived <= Self.burst && sent - group.firstSent < 0.1
    }

    private mutating func append(_ change: Double, at time: Double) {
        accumulated += change
        smoothed = Self.smoothing * smoothed + (1 - Self.smoothing) * accumulated
        let start = origin ?? time
        origin = start
        points.append(Point(time: time - start, delay: smoothed))
        if points.count > Self.window { points.removeFirst() }
        count = min(count + 1, 60)
    }

    private mutating func reset() {
        (accumulated, smoothed, origin, points, count) = (0, 0, nil, [], 0)
    }
}
