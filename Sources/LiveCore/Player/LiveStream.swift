package import Basics

/// A service that opens streams for playing, one at a time.
package protocol LiveStreamService: Sendable {
    /// Checks the address and starts to load it; frames and audio are passed to the outputs of the service.
    ///
    /// - Throws: `LiveFailure`, or `CancellationError`.
    func open(_ address: LiveAddress, _ options: LiveOptions) async throws -> any LiveStream
}

/// An opened stream.
package protocol LiveStream: Sendable {
    /// The events in order, for a single consumer; `.failed` and `.ended` are the last ones.
    var events: AsyncStream<LiveStreamEvent> { get }

    func apply(_ options: LiveOptions) async

    /// Seeks to another position.
    func seek(to target: LiveSeek) async

    /// Stops the stream and releases its resources; the last frame remains shown.
    func close() async
}

/// The audio settings of a stream.
package struct LiveAudio: Codable, Hashable, Sendable {
    /// The volume in percent, as in `PlaybackVolume.range`.
    package var volume: Int
    package var isMuted: Bool

    package init(volume: Int = PlaybackVolume.normal, isMuted: Bool = false) {
        (self.volume, self.isMuted) = (volume, isMuted)
    }
}

/// The playback options of a stream.
package struct LiveOptions: Codable, Hashable, Sendable {
    package var audio: LiveAudio
    package var isPaused: Bool
    /// Whether a file starts again after its end.
    package var loops: Bool
    /// The ID of the loudspeaker that the user has selected; nil for the one with which the player was created.
    package var speaker: String?

    package init(audio: LiveAudio = LiveAudio(), isPaused: Bool = false, loops: Bool = true) {
        (self.audio, self.isPaused, self.loops) = (audio, isPaused, loops)
    }
}

/// A position to seek to.
package enum LiveSeek: Codable, Hashable, Sendable {
    /// The newest position that can be played without interruptions.
    case liveEdge
    /// A position relative to the beginning of the file or of the playlist's window.
    case position(Duration)
}

/// An event of an opened stream.
package enum LiveStreamEvent: Codable, Hashable, Sendable {
    /// The first frame is shown.
    case started(LiveFormat)
    /// The codec or the size of the video has changed.
    case changed(LiveFormat)
    /// Playback is stalled because the buffer is empty; the last frame remains shown.
    case stalled
    /// Frames are shown again.
    case resumed
    case progress(LiveProgress)
    /// The file has ended and started again from its beginning, without a gap.
    case looped
    /// The end of a file, or of a live stream whose publisher has stopped.
    case ended
    case failed(LiveFailure)
}

/// The format of a stream.
package struct LiveFormat: Codable, Hashable, Sendable {
    /// The size of the video; nil if the stream has only audio.
    package var resolution: Resolution?
    /// The codec of the video, such as `H264`, or of the audio if there is no video.
    package var codec: String
    /// Whether the stream has no known end; live streams are never looped.
    package var isLive: Bool

    package init(resolution: Resolution?, codec: String, isLive: Bool) {
        (self.resolution, self.codec, self.isLive) = (resolution, codec, isLive)
    }
}

/// The position in a stream.
package struct LiveProgress: Codable, Hashable, Sendable {
    /// The position relative to the beginning of the file or of the playlist's window.
    package var position: Duration
    /// The duration of the file or of the playlist's window; nil if unknown.
    package var duration: Duration?
    /// The time between the capture of the shown frame and now; nil if it is unknown.
    package var latency: Duration?
    /// The distance to the newest position to which the player can seek; nil for a file.
    package var behind: Duration?
    /// The target duration of the playlist's segments; nil for a file.
    package var segment: Duration?

    package init(
        position: Duration = .zero,
        duration: Duration? = nil,
        latency: Duration? = nil,
        behind: Duration? = nil,
        segment: Duration? = nil
    ) {
        (self.position, self.duration) = (position, duration)
        (self.latency, self.behind, self.segment) = (latency, behind, segment)
    }
}
