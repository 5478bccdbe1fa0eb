/// Counts freezes as the WebRTC statistics specification defines them (`freezeCount`).
///
/// A freeze is a gap between pictures of max(3 × the mean gap, the mean gap + 150 ms) or more, the mean
/// taken over the last 30 pictures. It says nothing of the first pictures; five gaps make a mean here.
struct FreezeDetector: Hashable, Sendable {
    private(set) var count = 0
    private var last: UInt64?
    private var gaps: [UInt64] = []

    /// - Parameter time: when the picture could be seen, in nanoseconds.
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
