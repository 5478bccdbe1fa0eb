internal import Basics

/// The measures of a stream while it is published, since its connection began.
struct StreamHealth: Hashable, Sendable {
    /// The measures of the last seconds.
    struct Rates: Hashable, Sendable {
        /// The bit rate in bits per second.
        var bitrate: Int
        /// The number of video frames per second.
        var frameRate: Double
        /// The largest distance of two keyframes since the connection began, in milliseconds; 0 before the second one.
        var keyframeDistance: Int
    }

    private struct Mark: Hashable {
        let time: Timestamp
        let frames: Int
        let bytes: Int
    }

    /// The time between two marks, from which rates are computed, and their maximum number.
    private static let (markInterval, mostMarks) = (Duration.seconds(1), 6)

    private(set) var frames = 0
    private(set) var bytes = 0
    /// The largest distance of two keyframes in milliseconds; 0 before the second one.
    private(set) var keyframeDistance = 0
    private var lastKeyframe: UInt32?
    private var marks: [Mark] = []

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

    /// Computes the rates of the last seconds; nil if that is not due.
    mutating func rates(at time: Timestamp) -> Rates? {
        guard marks.last.map({ $0.time + Self.markInterval <= time }) ?? true else { return nil }
        marks.append(Mark(time: time, frames: frames, bytes: bytes))
        if marks.count > Self.mostMarks { marks.removeFirst() }
        guard let first = marks.first, first.time < time else { return nil }
        let seconds = Double(time.milliseconds - first.time.milliseconds) / 1000
        return Rates(
            bitrate: Int(Double((bytes - first.bytes) * 8) / seconds),
            frameRate: Double(frames - first.frames) / seconds,
            keyframeDistance: keyframeDistance
        )
    }
}
