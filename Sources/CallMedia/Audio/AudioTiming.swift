/// The times by its device's clock at which received audio is played.
///
/// Nanoseconds all through.
struct AudioTiming: Hashable, Sendable {
    /// A packet that is further from the end of the one before is not its continuation: some were lost, or the
    /// sender's reports have told better when it was captured.
    private static let step: Int64 = 5_000_000
    /// Changes of the delay are made in steps of at least this, because each is heard.
    private static let worthwhile: UInt64 = 15_000_000

    private var even = SampleClock()
    /// The own time that continues what came.
    private var end: UInt64?
    private var delay: UInt64?

    /// Finds the time at which the next packet is played.
    ///
    /// - Parameters:
    ///   - time: of the first sample, on the shared time line.
    ///   - duration: how long it is.
    ///   - now: on the shared time line.
    ///   - device: what the device's clock says now.
    ///   - wanted: how long after `time` it is to be heard.
    ///   - least: the delay below which it would come too late for the device.
    /// - Returns: the device's time at which the packet is played.
    mutating func place(
        _ time: UInt64,
        lasting duration: UInt64,
        now: UInt64,
        device: UInt64,
        wanted: UInt64,
        least: UInt64
    ) -> UInt64 {
        if let end {
            let gap = Int64(truncatingIfNeeded: time &- end)
            if gap.magnitude > Self.step.magnitude { even.skip(gap) }
        }
        end = time &+ duration
        let start = even.next(at: device &+ time &- now, lasting: duration)
        let due = Int64(truncatingIfNeeded: start &+ chosen(wanted, least: least))
        return UInt64(max(0, due))
    }

    private mutating func chosen(_ wanted: UInt64, least: UInt64) -> UInt64 {
        let present = delay ?? 0
        let change = wanted > present ? wanted - present : present - wanted
        guard delay == nil || present < least || change >= Self.worthwhile else { return present }
        delay = max(wanted, least)
        return max(wanted, least)
    }
}
