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
        /// Playback has stalled and resumes when more of the stream has arrived.
        case buffering
        /// The stream was lost or could not be reached; the next attempt begins after `retryIn`, or is in progress if
        /// that is nil.
        case offline(Failure, retryIn: Duration?)
        /// The stream is not being published; the player checks again at regular intervals.
        case notLive(Failure)
        /// A file has restarted after its end.
        case looped
        /// The player was too far behind the live edge, by this duration, and has skipped to it.
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
        /// The codec of the video, such as `H264`, or of the audio if there is no video.
        public let codec: String
        /// Whether the stream is live, which means that it has no end yet.
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
