/// The clock of a stream, whose timestamps have 32 bits, wrap, and may jump.
struct StreamClock {
    /// The maximum difference between consecutive timestamps in milliseconds; a larger one is a jump.
    private static let longestGap: Int64 = 10_000
    /// The maximum difference in milliseconds by which timestamps may run backwards; a larger one is a jump.
    private static let longestReturn: Int64 = 1000

    private var last: (raw: UInt32, time: Int64)?

    /// Returns the time in milliseconds since the first timestamp, and whether it jumps.
    mutating func time(_ raw: UInt32) -> (time: Int64, isJump: Bool) {
        guard let last else {
            self.last = (raw, 0)
            return (0, false)
        }
        let step = Int64(Int32(bitPattern: raw &- last.raw))
        let isJump = step > Self.longestGap || step < -Self.longestReturn
        // After a jump, time continues with the smallest step.
        let time = last.time + (isJump ? 1 : step)
        self.last = (raw, time)
        return (time, isJump)
    }
}
