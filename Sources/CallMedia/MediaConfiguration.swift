package import CallCore

/// Everything that the media half of a call is told, checked before it starts.
package struct MediaConfiguration: Sendable {
    package var source: SourceChoice
    /// The file behind `SourceChoice.test`.
    package var testVideo: String
    /// Best first.
    package var codecs: [Codec] = Codec.allCases
    /// Whether codecs that the source has ready come before others, in whatever order they are named.
    package var prefersReadyCodecs = true
    package var recording: RecordingFile?
    package var localRecording: RecordingFile?
    /// Of both sides in one file.
    package var bothRecording: RecordingFile?
    /// Pictures of the peer.
    package var snapshot: SnapshotFile?
    /// The source that other calls of this process send too; nil where this one opens its own.
    package var sharedSource: SharedSource?
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
        for (_, file) in recordings { file.removeIfEmpty() }
        snapshot?.removeIfEmpty()
    }

    /// All recordings, with the sides that each holds.
    var recordings: [(sides: Set<RecordedSide>, file: RecordingFile)] {
        let all: [(Set<RecordedSide>, RecordingFile?)] = [
            ([.remote], recording), ([.local], localRecording), ([.remote, .local], bothRecording),
        ]
        return all.compactMap { sides, file in file.map { (sides, $0) } }
    }
}
