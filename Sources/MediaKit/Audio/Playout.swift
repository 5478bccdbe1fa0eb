package import Basics
package import GStreamerKit
internal import Synchronization

/// The times at which received video frames and the corresponding audio are to be played.
///
/// The delay after the capture time changes only slowly, so that jitter and retransmissions are not visible
/// and audio reaches its device in time.
package final class Playout: Sendable {
    /// The divisor that limits changes of the delay to a tenth of the elapsed time; faster changes would be
    /// visible.
    private static let slope: UInt64 = 10
    /// The maximum time from now until a frame is due, in nanoseconds; a timestamp that exceeds it is wrong
    /// or hostile.
    private static let horizon: UInt64 = 1_000_000_000

    /// The time between a frame's due time and its display, in nanoseconds.
    private static let drawing: UInt64 = 15_000_000

    /// The maximum delay of frames to stay in sync with audio, in nanoseconds; with an audio device of higher
    /// latency, audio lags behind the video.
    private static let maximumForAudio: UInt64 = 600_000_000

    private struct State {
        /// The current delay in nanoseconds.
        var delay: UInt64
        var target: UInt64
        var last: UInt64?
        /// The delay that the accompanying audio needs; 0 without audio.
        var audio = AudioHold()

        var audioDelay: UInt64 { max(audio.delay, delay + Playout.drawing) }

        mutating func advance(to time: UInt64) {
            // Audio and video timestamps alternate here, so they do not always increase.
            if let last, time <= last, last - time < Playout.horizon { return }
            defer { last = time }
            guard let last, time > last else { return }
            let wait = audio.delay - min(audio.delay, Playout.drawing)
            let target = max(target, min(wait, Playout.maximumForAudio))
            let step = min(time - last, Playout.horizon) / Playout.slope
            delay = target > delay ? min(target, delay + step) : max(target, delay - min(delay, step))
        }
    }

    private let state: Mutex<State>

    /// Creates a playout with an initial delay in milliseconds.
    package init(delay milliseconds: Int) {
        let delay = Self.nanoseconds(milliseconds)
        state = Mutex(State(delay: delay, target: delay))
    }

    /// Sets the target delay in milliseconds, which the delay approaches gradually.
    package func set(delay milliseconds: Int) {
        state.withLock { $0.target = Self.nanoseconds(milliseconds) }
    }

    /// Computes the delay of audio after its capture time: the delay of the video, or a longer one if the
    /// audio needs it.
    ///
    /// Audio and video arrive on separate threads, and both move the delay gradually towards its target. All values are in
    /// nanoseconds.
    ///
    /// - Parameters:
    ///   - need: the smallest delay with which the audio that has just arrived is in time.
    ///   - device: the part of `need` that is the latency of the audio device.
    ///   - time: the capture time of the audio, on the clock of `now`.
    ///   - now: the current time.
    /// - Returns: the delay.
    func audioDelay(need: Int64, device: UInt64 = 0, of time: UInt64, at now: UInt64) -> UInt64 {
        state.withLock { state in
            state.audio.device = device
            state.audio.update(need: need, at: now)
            state.advance(to: time)
            return state.audioDelay
        }
    }

    /// Increases the delay of audio, because some audio reached its device this many nanoseconds too late.
    func audioWasLate(by nanoseconds: UInt64) {
        let now = MediaClock.shared.now
        state.withLock { state in
            let need = state.audioDelay.addingReportingOverflow(nanoseconds).partialValue
            state.audio.update(need: Int64(clamping: need), at: now)
        }
    }

    /// Resets the delay that audio needs to 0, because audio is no longer played.
    func audioStopped() { state.withLock { $0.audio = AudioHold() } }

    /// Computes the due time of a frame that was captured at `time` and arrived at `now`, in nanoseconds on
    /// the same clock.
    ///
    /// It must be called once for each frame, in order, because each call advances the delay.
    func due(_ time: UInt64, now: UInt64) -> UInt64 {
        let delay = state.withLock { state in
            state.advance(to: time)
            return state.delay
        }
        return Self.bounded(time, delay, now: now)
    }

    /// Returns the due time of a sample that has just arrived: delayed for video, immediate for audio.
    package func due(_ sample: MediaSample, _ kind: MediaKind) -> UInt64 {
        let now = MediaClock.shared.now
        guard kind == .video, let time = sample.presentationTime else { return now }
        return due(time, now: now)
    }

    /// Returns the frame with its due time as timestamp.
    func timed(_ sample: MediaSample, now: UInt64) -> MediaSample {
        guard let time = sample.presentationTime else { return sample }
        let due = Self.bounded(time, state.withLock { $0.delay }, now: now)
        return sample.shifted(to: due, decodeTime: nil)
    }

    private static func bounded(_ time: UInt64, _ delay: UInt64, now: UInt64) -> UInt64 {
        let (due, isBeyond) = time.addingReportingOverflow(delay)
        return isBeyond || due > now + horizon ? now : max(now, due)
    }

    private static func nanoseconds(_ milliseconds: Int) -> UInt64 {
        UInt64(clamping: milliseconds) * 1_000_000
    }
}
