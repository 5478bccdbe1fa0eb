package import Basics
package import CallCore
package import GLibKit
package import MediaKit

/// The configuration of a call's media, validated before the call starts.
package struct MediaConfiguration: Sendable {
    package var source: SourceChoice
    /// The frame size and rate of the source, its start position, and whether it is repeated.
    package var sourceSettings = SourceSettings()
    package var audio = AudioSettings()
    /// The preferred devices by kind; each is used if it is available and no other choice was made for its
    /// kind.
    package var preferredDevices: [MediaDevice.Kind: MediaDevice] = [:]
    /// The path of the file for `SourceChoice.test`.
    package var testVideo: String
    /// The codecs in order of preference.
    package var codecs: [Codec] = Codec.allCases
    /// Whether codecs in which the source is already encoded take precedence over the order of `codecs`.
    package var prefersReadyCodecs = true
    /// The kinds and directions of media in the call.
    package var scope = MediaScope()
    package var recording: RecordingFile?
    package var localRecording: RecordingFile?
    /// The recording of both sides in one file; nil for none.
    package var bothRecording: RecordingFile?
    /// The file for automatic snapshots of the peer's video; nil for none.
    package var snapshot: SnapshotFile?
    /// The receiver of the call's streams besides the recordings, such as a live stream; nil for none.
    package var output: (any CallOutput)?
    /// The default folders for recordings and snapshots started by the user.
    package var outputFolders = OutputFolders()
    /// The source shared with other calls of this process; nil if this call opens its own.
    package var sharedSource: SharedSource?
    /// The window that shows video; if it is nil, video is not decoded for display.
    package var window: (any VideoSink)?
    /// The receivers of the peer's decoded frames and audio in a program that uses `PeerConnection`; nil to decode
    /// nothing.
    var frames: (any VideoSink)?
    var samples: (@Sendable (PeerConnection.AudioBuffer) -> Void)?
    /// The resolution above which the peer's video is not decoded, for the window and for snapshots.
    package var decodingLimit = DecodingLimit.standard
    /// The initial bit rate of video encoders in bits per second.
    package var startBitrate = 1_500_000
    /// The range of the video bit rate in bits per second.
    package var bitrates = 100_000...4_000_000
    /// The percentage of redundant bytes added to video for forward error correction (`--fec`); nil for none.
    package var redundancyPercent: Int?
    /// Whether lost packets are reconstructed from redundant packets.
    var correctsErrors: Bool { redundancyPercent != nil }
    /// The initial and smallest latency of the jitter buffers in milliseconds.
    package var latencyMs = 20
    package var library: PipelineLibrary
    /// The service that finds the media of HTTP URLs; nil if such a source is not supported.
    package var webMedia: (any WebMediaService)?
    /// The command that loads the media of URLs in a separate process; nil to load it in this process.
    package var loader: ProcessCommand?
    /// The STUN and TURN servers that take precedence over those from the signaling server.
    package var iceServers: [ICEServer] = []
    /// Whether only relay candidates are sent to the peer (`--relay-only`).
    package var relayOnly = false
    /// The certificate authorities trusted for TURN over TLS.
    package var turnAuthorities = TLSAuthorities.system
    /// The local UDP ports for media; nil for any.
    package var icePorts: ClosedRange<Int>?
    /// The local addresses that media may use.
    package var addressRule = LocalAddressRule()
    /// Whether the pipeline graphs of attempts are sent as `MediaNotice.graph`.
    package var drawsGraphs = false

    package init(source: SourceChoice, testVideo: String, library: PipelineLibrary) {
        self.source = source
        self.testVideo = testVideo
        self.library = library
    }

    /// The request for the source of outgoing media.
    var sourceRequest: SourceRequest {
        SourceRequest(
            choice: source,
            settings: sourceSettings,
            testVideo: testVideo,
            kinds: scope.kinds,
            preferredCamera: preferredDevices[.camera],
            library: library,
            webMedia: webMedia,
            loader: loader
        )
    }

    /// The request for the microphone, and for the loudspeaker that plays the peer's audio.
    package var audioRequest: AudioRequest {
        let hasAudio = scope.kinds.contains(.audio)
        return AudioRequest(
            settings: audio,
            sends: hasAudio && scope.sends,
            receives: hasAudio && scope.receives,
            source: source,
            needsSpeaker: window != nil,
            preferred: preferredDevices,
            library: library
        )
    }

    /// Removes the reserved files of recordings and snapshots that are still empty.
    package func discardUnusedRecordings() {
        for (_, file) in recordings { file.removeIfEmpty() }
        snapshot?.removeIfEmpty()
    }

    /// All configured recordings, each with the sides that it contains.
    var recordings: [(sides: Set<MediaSide>, file: RecordingFile)] {
        let all: [(Set<MediaSide>, RecordingFile?)] = [
            ([.remote], recording), ([.local], localRecording), ([.remote, .local], bothRecording),
        ]
        return all.compactMap { sides, file in file.map { (sides, $0) } }
    }

    /// Whether the peer is recorded or published in every call, even if the user does not start a recording.
    var recordsPeer: Bool { output != nil || recordings.contains { $0.sides.contains(.remote) } }
}

// MARK: - Recordings

extension MediaConfiguration {
    /// Checks that no two recordings use the same file.
    ///
    /// - Throws: `CallMediaFailure.local(.recording)` if two recordings would write to the same file.
    func checkRecordings() throws {
        var files = recordings.map(\.file)
        while let one = files.popLast() {
            guard files.contains(where: { $0.isSame(as: one) }) else { continue }
            throw CallMediaFailure.local(
                .recording(
                    message: "two recordings have the same file \(one.path)",
                    hint: "give --record, --record-local and --record-both different names"
                )
            )
        }
    }
}
