package import CallCore

/// Everything that the media half of a call is told, checked before it starts.
package struct MediaConfiguration: Sendable {
    package var source: SourceChoice
    /// Its size, rate, beginning and end.
    package var sourceSettings = SourceSettings()
    package var sound = SoundSettings()
    /// The file behind `SourceChoice.test`.
    package var testVideo: String
    /// Best first.
    package var codecs: [Codec] = Codec.allCases
    /// Whether codecs that the source has ready come before others, in whatever order they are named.
    package var prefersReadyCodecs = true
    package var recording: RecordingFile?
    package var localRecording: RecordingFile?
    /// Where pictures are shown; nothing is decoded without it.
    package var window: (any VideoSink)?
    /// Bits per second that encoders start with.
    package var startBitrate = 1_500_000
    /// Where the jitter buffer starts, in milliseconds.
    package var latencyMs = 20
    package var library: PipelineLibrary
    /// STUN and TURN servers that are used before those that the signaling server names.
    package var iceServers: [ICEServer] = []
    /// Whether candidates of this host's own addresses are kept to itself (`--relay-only`).
    package var relayOnly = false
    /// Whether `MediaNotice.graph` is told.
    package var drawsGraphs = false

    package init(source: SourceChoice, testVideo: String, library: PipelineLibrary) {
        self.source = source
        self.testVideo = testVideo
        self.library = library
    }

    /// Gives the recordings' places on disk back where nothing was recorded.
    package func discardUnusedRecordings() {
        recording?.removeIfEmpty()
        localRecording?.removeIfEmpty()
    }

    /// Both recordings, where there are two.
    var recordings: (RecordingFile, RecordingFile)? {
        guard let recording, let localRecording else { return nil }
        return (recording, localRecording)
    }
}
