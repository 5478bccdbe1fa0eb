/// The measures of a stream while it is published, since its connection began.
struct StreamHealth: Hashable, Sendable {
    private(set) var frames = 0
    private(set) var bytes = 0
    /// The largest distance of two keyframes in milliseconds; 0 before the second one.
    private(set) var keyframeDistance = 0
    private var lastKeyframe: UInt32?

    mutating func count(frameAt timestamp: UInt32, isKeyframe: Bool, bytes: Int) {
        frames += 1
        count(bytes: bytes)
        guard isKeyframe else { return }
        if let lastKeyframe {
            // Timestamps may wrap or run backwards.
            let distance = Int(Int32(bitPattern: timestamp &- lastKeyframe))
            keyframeDistance = max(keyframeDistance, distance)
        }
        lastKeyframe = timestamp
    }

    mutating func count(bytes: Int) { self.bytes += bytes }
}
