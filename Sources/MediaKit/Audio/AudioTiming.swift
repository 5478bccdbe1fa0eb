/// Computes the times on the device's clock at which received audio is played.
///
/// All values are in nanoseconds.
struct AudioTiming: Hashable, Sendable {
    /// The largest gap or overlap between two consecutive packets that still counts as continuous audio.
    ///
    /// A larger difference means that packets were lost or that a sender report corrected the capture time.
    private static let step: Int64 = 5_000_000
    /// The smallest change of the delay that is applied unless audio would be late; each change is audible.
    private static let worthwhile: UInt64 = 15_000_000

    private var even = SampleClock()
    /// The capture time at which the next packet starts if the audio is continuous.
    private var end: UInt64?
    private var delay: UInt64?

    /// Computes the time at which the next packet is played.
    ///
    /// - Parameters:
    ///   - time: the capture time of the packet's first sample, on the shared clock.
    ///   - duration: the duration of the packet.
    ///   - now: the current time on the shared clock.
    ///   - device: the current time on the device's clock.
    ///   - wanted: the desired delay after `time`.
    ///   - minimum: the delay below which the packet would be too late for the device.
    /// - Returns: the time on the device's clock at which the packet is played.
    mutating func place(
        _ time: UInt64,
        lasting duration: UInt64,
        now: UInt64,
        device: UInt64,
        wanted: UInt64,
        minimum: UInt64
    ) -> UInt64 {
        if let end {
            let gap = Int64(truncatingIfNeeded: time &- end)
            if gap.magnitude > Self.step.magnitude { even.skip(gap) }
        }
        end = time &+ duration
        let start = even.next(at: device &+ time &- now, lasting: duration)
        let due = Int64(truncatingIfNeeded: start &+ chosen(wanted, minimum: minimum))
        return UInt64(max(0, due))
    }

    private mutating func chosen(_ wanted: UInt64, minimum: UInt64) -> UInt64 {
        let present = delay ?? 0
        let change = wanted > present ? wanted - present : present - wanted
        guard delay == nil || present < minimum || change >= Self.worthwhile else { return present }
        delay = max(wanted, minimum)
        return max(wanted, minimum)
    }
}
