/// The clock of a stream, whose timestamps have 32 bits, wrap, and may jump.
///
/// The tracks have a common time zero, but each track's times are compared only with its own, because an encoder may
/// send one track ahead of the other.
struct StreamClock {
    private struct Position {
        /// The newest timestamp, with wraps removed.
        var raw: Int64
        var time: Int64
        /// The difference between times and timestamps.
        var offset: Int64
    }

    /// The maximum difference between consecutive timestamps of a track in milliseconds; a larger one is a jump.
    private static let longestGap: Int64 = 10_000
    /// The maximum difference in milliseconds by which timestamps may run backwards; a larger one is a jump.
    private static let longestReturn: Int64 = 1000

    private var positions: [TransportStream.Track: Position] = [:]
    /// The offset since the last jump.
    private var offset: Int64?

    /// Returns the time of a timestamp in milliseconds since the first one, and whether the stream jumps there.
    mutating func time(_ timestamp: UInt32, of track: TransportStream.Track) -> (time: Int64, isJump: Bool) {
        let reference = positions[track] ?? positions.values.first
        let raw = reference.map { last in
            last.raw + Int64(Int32(bitPattern: timestamp &- UInt32(truncatingIfNeeded: last.raw)))
        }
        var position = Position(raw: raw ?? Int64(timestamp), time: 0, offset: 0)
        position.offset = positions[track]?.offset ?? offset ?? -position.raw
        position.time = position.raw + position.offset
        var isJump = false
        if let last = positions[track], !Self.continues(position.time, after: last.time) {
            // The other track may have jumped before.
            position.offset = offset ?? position.offset
            position.time = position.raw + position.offset
            if !Self.continues(position.time, after: last.time) {
                isJump = true
                position.time = (positions.values.map(\.time).max() ?? 0) + 1
                position.offset = position.time - position.raw
            }
        }
        offset = position.offset
        positions[track] = position
        return (position.time, isJump)
    }

    private static func continues(_ time: Int64, after last: Int64) -> Bool {
        -longestReturn...longestGap ~= time - last
    }
}
