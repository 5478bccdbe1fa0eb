internal import Basics
internal import LiveCore

extension StreamPlayer {
    /// An event of a stream.
    public enum Event: Hashable, Sendable {
        /// The stream is being opened.
        case loading
        /// The first frame is shown, or frames are shown again after one of the following events.
        case playing(Format)
        /// The stream is paused.
        case paused
        /// The last frame stands still until more of the stream arrives.
        case buffering
        /// The stream was lost or not reached; the next attempt begins after `retryIn`, or is in progress if that is nil.
        case offline(Failure, retryIn: Duration?)
        /// Nobody publishes the stream; the player looks again at regular intervals.
        case notLive(Failure)
        /// A file has begun again.
        case looped
        /// The player was too far behind, by this time, and continues at the newest part of the stream.
        case skippedAhead(Duration)
        /// The stream has ended.
        case ended
        /// The stream cannot be played; `play()` tries again.
        case failed(Failure)
    }

    /// The format of a stream.
    public struct Format: Hashable, Sendable {
        /// The width in pixels; 0 for a stream without video.
        public let width: Int
        /// The height in pixels; 0 for a stream without video.
        public let height: Int
        /// The codec of the video, or of the audio without video, such as `H264`.
        public let codec: String
        /// Whether the stream has no end yet.
        public let isLive: Bool
    }

    /// The reason why a stream is not played.
    public struct Failure: Error, Hashable, Sendable {
        /// The name of the reason, as in the events of `callrunner live --json`.
        public let reason: String
        /// The reason in plain words, without a full stop.
        public let message: String
        /// The suggestion for the user.
        public let hint: String
    }
}

extension StreamPlayer.Event {
    init(_ event: LiveEvent) {
        self =
            switch event {
            case .loading: .loading
            case .playing(let format, _): .playing(StreamPlayer.Format(format))
            case .paused: .paused
            case .buffering: .buffering
            case .offline(let failure, let wait): .offline(StreamPlayer.Failure(failure), retryIn: wait)
            case .notLive(let failure): .notLive(StreamPlayer.Failure(failure))
            case .looped: .looped
            case .skippedAhead(let span): .skippedAhead(span)
            case .ended: .ended
            case .failed(let failure): .failed(StreamPlayer.Failure(failure))
            }
    }
}

extension StreamPlayer.Format {
    init(_ format: LiveFormat) {
        (width, height) = (format.resolution?.width ?? 0, format.resolution?.height ?? 0)
        (codec, isLive) = (format.codec, format.isLive)
    }
}

extension StreamPlayer.Failure {
    init(_ failure: LiveFailure) {
        (reason, message, hint) = (failure.reason.rawValue, failure.message, failure.hint)
    }
}
