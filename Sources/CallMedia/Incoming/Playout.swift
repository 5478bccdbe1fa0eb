internal import CallCore
internal import GStreamerKit
internal import Synchronization

/// When pictures that came in are due, and the audio that belongs to them.
///
/// That is a steady while after their own time, so that neither jitter nor what was asked for again is seen, and the
/// device that plays the audio has it in time.
final class Playout: Sendable {
    /// The share of a second by which a second may be stretched or shortened; more would be seen.
    private static let slope: UInt64 = 10
    /// How far ahead a picture may be due, in nanoseconds; whatever says more is mistaken, or means harm.
    private static let horizon: UInt64 = 1_000_000_000

    /// The time from when a picture is due until it is on the screen, in nanoseconds.
    private static let drawing: UInt64 = 15_000_000

    /// The longest time for which pictures wait for audio, in nanoseconds; audio of a slower device comes after them.
    private static let mostForAudio: UInt64 = 600_000_000

    private struct State {
        /// In nanoseconds.
        var delay: UInt64
        var target: UInt64
        var last: UInt64?
        /// The delay that the audio played beside them needs; 0 without audio.
        var audio = AudioHold()

        var audioDelay: UInt64 { max(audio.delay, delay + Playout.drawing) }

        mutating func advance(to time: UInt64) {
            // Audio and pictures are not in one order.
            if let last, time <= last, last - time < Playout.horizon { return }
            defer { last = time }
            guard let last, time > last else { return }
            let wait = audio.delay - min(audio.delay, Playout.drawing)
            let target = max(target, min(wait, Playout.mostForAudio))
            let step = min(time - last, Playout.horizon) / Playout.slope
            delay = target > delay ? min(target, delay + step) : max(target, delay - min(delay, step))
        }
    }

    private let state: Mutex<State>

    /// - Parameter milliseconds: the delay to begin with.
    init(delay milliseconds: Int) {
        let delay = Self.nanoseconds(milliseconds)
        state = Mutex(State(delay: delay, target: delay))
    }

    /// Strives for another delay, in milliseconds.
    func set(delay milliseconds: Int) { state.withLock { $0.target = Self.nanoseconds(milliseconds) } }

    /// Returns how long after its own time audio is to be heard: with the pictures, or as late as it must be.
    ///
    /// Audio and pictures come on threads of their own; the delay moves with either. Nanoseconds all through.
    ///
    /// - Parameters:
    ///   - need: the least delay with which the audio that has just come is in time.
    ///   - device: the part of it that is the device's own.
    ///   - time: the audio's own time, on the clock of `now`.
    ///   - now: the present.
    /// - Returns: the delay.
    func audioDelay(need: Int64, device: UInt64 = 0, of time: UInt64, at now: UInt64) -> UInt64 {
        state.withLock { state in
            state.audio.device = device
            state.audio.update(need: need, at: now)
            state.advance(to: time)
            return state.audioDelay
        }
    }

    /// Holds audio back for longer, because some reached its device so many nanoseconds too late.
    func audioWasLate(by nanoseconds: UInt64) {
        let now = MediaClock.shared.now
        state.withLock { state in
            let need = state.audioDelay.addingReportingOverflow(nanoseconds).partialValue
            state.audio.update(need: Int64(clamping: need), at: now)
        }
    }

    /// Follows pictures alone, because audio is no longer played.
    func audioStopped() { state.withLock { $0.audio = AudioHold() } }

    /// When a picture of `time` is due that is there `now`; nanoseconds on one clock.
    ///
    /// Once for each picture, in their order: the delay moves with them.
    func due(_ time: UInt64, now: UInt64) -> UInt64 {
        let delay = state.withLock { state in
            state.advance(to: time)
            return state.delay
        }
        return Self.bounded(time, delay, now: now)
    }

    /// When a sample that has just come is due: a picture by its time, anything else at once.
    func due(_ sample: MediaSample, _ kind: MediaKind) -> UInt64 {
        let now = MediaClock.shared.now
        guard kind == .video, let time = sample.presentationTime else { return now }
        return due(time, now: now)
    }

    /// The picture with the time that it is due at.
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
