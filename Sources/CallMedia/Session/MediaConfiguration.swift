package import CallCore
package import GLibKit

/// Everything that the media half of a call is told, checked before it starts.
package struct MediaConfiguration: Sendable {
    package var source: SourceChoice
    /// Its size, rate, beginning and end.
    package var sourceSettings = SourceSettings()
    package var sound = AudioSettings()
    /// The devices to take before others where none is named, as long as they are there.
    package var preferredDevices: [CallDevice.Kind: CallDevice] = [:]
    /// The file behind `SourceChoice.test`.
    package var testVideo: String
    /// Best first.
    package var codecs: [Codec] = Codec.allCases
    /// Whether codecs that the source has ready come before others, in whatever order they are named.
    package var prefersReadyCodecs = true
    /// What the call is to carry.
    package var scope = MediaScope()
    package var recording: RecordingFile?
    package var localRecording: RecordingFile?
    /// Of both sides in one file.
    package var bothRecording: RecordingFile?
    /// Pictures of the peer.
    package var snapshot: SnapshotFile?
    /// Where what is kept by hand goes.
    package var keptFiles = OutputFolders()
    /// The source that other calls of this process send too; nil where this one opens its own.
    package var sharedSource: SharedSource?
    /// Where pictures are shown; nothing is decoded without it.
    package var window: (any VideoSink)?
    /// The largest video of the peer that is decoded, for the window and for snapshots.
    package var decodingLimit = DecodingLimit.standard
    /// Bits per second that encoders start with.
    package var startBitrate = 1_500_000
    /// What the adaptation to the network keeps to, in bits per second of pictures.
    package var bitrates = 100_000...4_000_000
    /// How many redundant bytes go with a hundred of pictures, so that what is lost can be made up for (`--fec`).
    package var redundancyPercent: Int?
    /// Where the jitter buffer starts, in milliseconds.
    package var latencyMs = 20
    package var library: PipelineLibrary
    /// STUN and TURN servers that are used before those that the signaling server names.
    package var iceServers: [ICEServer] = []
    /// Whether candidates of this host's own addresses are kept to itself (`--relay-only`).
    package var relayOnly = false
    /// Whom to believe that a TURN server over TLS is the one that was named.
    package var turnAuthorities = TLSAuthorities.system
    /// The UDP ports that media may use here; nil for any.
    package var icePorts: ClosedRange<Int>?
    /// The addresses that media may use here.
    package var addressRule = LocalAddressRule()
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
    var recordings: [(sides: Set<MediaSide>, file: RecordingFile)] {
        let all: [(Set<MediaSide>, RecordingFile?)] = [
            ([.remote], recording), ([.local], localRecording), ([.remote, .local], bothRecording),
        ]
        return all.compactMap { sides, file in file.map { (sides, $0) } }
    }

    /// Whether the peer is recorded in every call.
    var recordsPeer: Bool { recordings.contains { $0.sides.contains(.remote) } }
}
