/// Measures how much later than usual the packets of a stream arrive, in nanoseconds.
struct Lateness: Hashable, Sendable {
    /// The lateness above which a packet counts as the beginning of a new stream.
    static let maximum: Int64 = 500_000_000
    /// The duration of each of the two periods whose earliest packets determine the usual transit time.
    private static let period: Int64 = 1_000_000_000
    /// The divisor of the increase of the usual transit time: each packet adds 1/125 of the difference to a longer
    /// transit time, as in an rtpjitterbuffer.
    private static let inertia: Int64 = 125
    /// The largest sum of timestamp steps in nanoseconds, small enough that it cannot overflow.
    private static let longest: Int64 = 1 << 60

    /// The last RTP timestamp, and the same time in nanoseconds since the stream began.
    private var stamp: UInt32?
    private var sent: Int64 = 0
    /// The usual transit time in nanoseconds, with an unknown but constant offset.
    private var usual: Int64 = 0
    /// The shortest transit times in the current and the previous period, with the same offset.
    private var shortest: Int64 = 0
    private var shortestBefore: Int64 = 0
    private var periodStart: Int64 = 0

    /// Returns whether a timestamp is within five seconds of that of the last packet, as those of retransmitted packets
    /// are; true before the first packet.
    func isNear(_ stamp: UInt32, rate: UInt32) -> Bool {
        guard let last = self.stamp else { return true }
        return abs(Int64(Int32(bitPattern: stamp &- last))) <= 5 * Int64(rate)
    }

    /// Computes the lateness of the next packet.
    ///
    /// - Parameters:
    ///   - arrival: the arrival time in nanoseconds.
    ///   - stamp: the RTP timestamp.
    ///   - rate: the clock rate of the timestamp, in hertz.
    /// - Returns: the lateness in nanoseconds.
    mutating func next(arrival: UInt64, stamp: UInt32, rate: UInt32) -> UInt64 {
        // Without the highest bits, no difference overflows.
        let arrival = Int64(arrival & UInt64(Int64.max >> 2))
        let step = Int64(Int32(bitPattern: stamp &- (self.stamp ?? stamp)))
        let isFirst = self.stamp == nil
        self.stamp = stamp
        sent += step * 1_000_000_000 / Int64(max(1, rate))
        let transit = arrival - sent
        guard !isFirst, abs(transit - usual) <= Self.maximum, abs(sent) < Self.longest else {
            sent = 0
            (usual, shortest, shortestBefore, periodStart) = (arrival, arrival, arrival, arrival)
            return 0
        }
        if arrival - periodStart >= Self.period {
            (shortestBefore, shortest, periodStart) = (shortest, transit, arrival)
        } else {
            shortest = min(shortest, transit)
        }
        let earliest = min(shortest, shortestBefore)
        usual = earliest < usual ? earliest : usual + (earliest - usual) / Self.inertia
        return UInt64(max(0, transit - usual))
    }
}
