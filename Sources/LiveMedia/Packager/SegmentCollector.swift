internal import Basics
internal import GStreamerKit
internal import LiveCore
internal import Synchronization

/// Collects the output of a muxer, whose stream ends after each segment; called on streaming threads.
final class SegmentCollector: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        /// The times of the segment's first and latest samples, in nanoseconds from the beginning of the segment.
        var times: ClosedRange<UInt64>?
        /// The times of the keyframes from the segment's start on, in nanoseconds, in ascending order.
        var keyframes: [UInt64] = []
    }

    /// The maximum size of a segment in bytes.
    static let maximumSize = 64 << 20

    private let state = Mutex(State())
    private let onSegment: @Sendable (LiveSegment) -> Void
    private let onFailure: @Sendable (LiveFailure) -> Void

    init(
        onSegment: @escaping @Sendable (LiveSegment) -> Void,
        onFailure: @escaping @Sendable (LiveFailure) -> Void
    ) {
        (self.onSegment, self.onFailure) = (onSegment, onFailure)
    }

    /// Adds the time of a keyframe of the video that goes into the muxer.
    func keyframe(at time: UInt64) {
        let distance = state.withLock { state in
            let last = state.keyframes.last
            state.keyframes.append(time)
            return last.map { time - min(time, $0) } ?? 0
        }
        let (span, limit) = (Duration.nanoseconds(Int64(clamping: distance)), LiveWindow.longestSegment)
        guard span > limit else { return }
        onFailure(
            LiveFailure(
                .unsupported,
                "two of its keyframes are \(DurationText(span)) apart; the maximum is \(DurationText(limit))"
            )
        )
    }

    /// Adds output of the muxer to the current segment.
    func add(_ sample: MediaSample) {
        let isTooLarge = state.withLock { state in
            sample.withBytes { state.bytes.append(contentsOf: $0) }
            if let time = sample.presentationTime {
                let first = state.times?.lowerBound ?? time
                state.times = first...max(first, state.times?.upperBound ?? time, time)
            }
            return state.bytes.count > Self.maximumSize
        }
        if isTooLarge {
            onFailure(LiveFailure(.tooLarge, "a segment has more than \(Self.maximumSize) bytes"))
        }
    }

    /// Completes the current segment; its end is the keyframe that begins the next one.
    func end() {
        let now = (media: MediaClock.shared.now, wall: Timestamp.now)
        let segment = state.withLock { state -> LiveSegment? in
            defer { (state.bytes, state.times) = ([], nil) }
            guard let times = state.times, let start = state.keyframes.first else { return nil }
            // The segment ends at the keyframe that is nearest to the end of its samples.
            let last = start + (times.upperBound - times.lowerBound)
            func distance(_ time: UInt64) -> UInt64 { max(time, last) - min(time, last) }
            guard let end = state.keyframes.dropFirst().min(by: { distance($0) < distance($1) }) else {
                return nil
            }
            state.keyframes.removeAll { $0 < end }
            let age = Int64(clamping: now.media) - Int64(clamping: start)
            return LiveSegment(
                state.bytes,
                .nanoseconds(Int64(clamping: end - start)),
                date: now.wall + .nanoseconds(-age)
            )
        }
        if let segment { onSegment(segment) }
    }
}
