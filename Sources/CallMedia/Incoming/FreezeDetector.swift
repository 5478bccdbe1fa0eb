/// Counts freezes as the WebRTC statistics specification defines them (`freezeCount`).
///
/// A freeze is a gap between frames of at least max(3 × mean gap, mean gap + 150 ms), with the mean of the
/// last 30 gaps. The specification does not define the mean at the beginning; here, freezes are counted once
/// five gaps are known.
struct FreezeDetector: Hashable, Sendable {
    private(set) var count = 0
    private var last: UInt64?
    private var gaps: [UInt64] = []

    /// Adds a frame that is due at `time`, in nanoseconds.
    mutating func frame(at time: UInt64) {
        defer { last = time }
        guard let last, time > last else { return }
        let gap = time - last
        if gaps.count >= 5 {
            let mean = gaps.reduce(0, +) / UInt64(gaps.count)
            if gap >= max(3 * mean, mean + 150_000_000) { count += 1 }
        }
        gaps.append(gap)
        if gaps.count > 30 { gaps.removeFirst() }
    }
}
