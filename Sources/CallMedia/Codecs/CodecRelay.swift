internal import GStreamerKit
internal import Synchronization

/// Relays a stream of one codec, and buffers it from the latest keyframe on while it has no consumer.
final class CodecRelay: Sendable {
    private struct State {
        var isFollowed = false
        var held: [MediaSample] = []
        var heldBytes = 0
    }

    /// The maximum number of buffered samples, a few seconds of video.
    ///
    /// When it or `maximumBytes` is reached, the buffer is emptied and buffering resumes at the next keyframe.
    private static let maximum = 150
    /// The maximum number of buffered bytes.
    private static let maximumBytes = 32 << 20

    /// The hub that the samples are published to.
    let hub = SampleHub()
    private let holds: Bool
    private let state = Mutex(State())

    /// Creates a relay; while there is no consumer, samples are buffered if `holds` is true, else dropped.
    init(holds: Bool) { self.holds = holds }

    /// Relays or buffers the next sample; called from one thread at a time.
    func pass(_ sample: MediaSample) {
        let due = state.withLock { state in
            guard !state.isFollowed else {
                defer { (state.held, state.heldBytes) = ([], 0) }
                return state.held + [sample]
            }
            let isFull = state.held.count >= Self.maximum || state.heldBytes + sample.size > Self.maximumBytes
            if sample.isKeyframe || isFull { (state.held, state.heldBytes) = ([], 0) }
            if holds, sample.isKeyframe || !state.held.isEmpty {
                state.held.append(sample)
                state.heldBytes += sample.size
            }
            return []
        }
        for sample in due { hub.publish(sample) }
    }

    /// Sets whether a consumer uses the stream; if so, the buffered samples are published together with the
    /// next sample.
    func follow(_ isFollowed: Bool) {
        state.withLock { state in
            state.isFollowed = isFollowed
            if !isFollowed { (state.held, state.heldBytes) = ([], 0) }
        }
    }
}

extension MediaSample {
    /// The maximum plausible difference between the presentation time of a sample and its arrival, in nanoseconds.
    private static let horizon: UInt64 = 5_000_000_000

    /// Returns the sample, with its arrival time `now` as its timestamp if its own presentation time is implausible.
    ///
    /// The jitter buffer does not check the timestamps of retransmitted packets, and a recording would wait for the
    /// time that a forged timestamp states.
    func timed(near now: UInt64) -> MediaSample {
        guard let time = presentationTime, max(time, now) - min(time, now) > Self.horizon else { return self }
        return shifted(to: now, decodeTime: now)
    }
}
