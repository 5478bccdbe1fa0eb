/// The position at which an audio sink plays the next sample, used to compute the gaps between samples.
///
/// A sink plays samples one after another and ignores small deviations of their timestamps. A sample that
/// deviates by `threshold` or more is played at its timestamp, which leaves an audible gap. All values are in
/// nanoseconds.
struct PlaybackPosition: Hashable, Sendable {
    /// The value of the sink's property `alignment-threshold` in the template `viewers/audio`.
    private static let threshold: Int64 = 2_000_000

    private var next: UInt64?

    /// Returns the gap between the previous sample and this one: negative if they overlap, 0 for most
    /// samples.
    mutating func gap(before time: UInt64, lasting duration: UInt64) -> Int64 {
        let start = next ?? time
        let distance = Int64(truncatingIfNeeded: time &- start)
        let gap = distance.magnitude < Self.threshold.magnitude ? 0 : distance
        next = start &+ UInt64(bitPattern: gap) &+ duration
        return gap
    }
}
