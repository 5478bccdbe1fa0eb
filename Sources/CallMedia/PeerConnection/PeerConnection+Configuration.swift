internal import Basics
internal import CallCore
internal import MediaKit

extension PeerConnection {
    /// The configuration of a peer connection: its source, its recordings and its ICE servers.
    public struct Configuration: Sendable {
        /// A media source.
        public enum Source: Hashable, Sendable {
            /// An MP4, Matroska or WebM file, looped; H.264, VP8, VP9 and Opus are sent without re-encoding
            /// if the peer accepts them.
            case file(String)
            /// The path of a v4l2 device; nil for the first camera found.
            case camera(String?)
            /// A video test pattern with an audible tick each second.
            case pattern
            /// No source: the connection only receives.
            case none
        }

        /// A STUN or TURN server (RTCIceServer).
        public struct ICEServer: Hashable, Sendable {
            /// The `stun:` and `turn:` URLs (RFC 7064, RFC 7065).
            public var urls: [String]
            /// The user name for TURN; nil for STUN.
            public var username: String?
            /// The password for TURN; nil for STUN.
            public var credential: String?

            /// Creates a server from its URLs; TURN requires a user name and a credential.
            public init(urls: [String], username: String? = nil, credential: String? = nil) {
                (self.urls, self.username, self.credential) = (urls, username, credential)
            }
        }

        /// The media to send.
        public var source: Source
        /// The directory of the pipeline templates: `pipelines/` of this package.
        public var pipelines: String
        /// The path of the recording of the remote side, ending in `.mkv`, `.mp4` or `.webm`; nil for none.
        ///
        /// The container restricts the codecs that are offered and accepted.
        public var recording: String?
        /// The path of the recording of the local side, like `recording`; nil for none.
        public var localRecording: String?
        /// Whether recordings may overwrite files.
        public var overwritesRecordings = false
        /// The STUN and TURN servers to use.
        public var iceServers: [ICEServer] = []
        /// Whether media is sent through TURN servers only.
        public var relayOnly = false
        /// The kinds of the peer's media that are decoded for `videoFrames` and `audioBuffers`; none by default,
        /// because decoding takes processor time.
        public var decodedKinds: Set<Kind> = []
        /// The initial bit rate of video encoders in bits per second.
        public var startBitrate = 1_500_000

        /// Creates a configuration without recordings and ICE servers.
        public init(source: Source, pipelines: String) {
            (self.source, self.pipelines) = (source, pipelines)
        }
    }
}

extension MediaConfiguration {
    /// Converts the configuration of a peer connection and reserves the files of its recordings.
    ///
    /// - Throws: `MediaFailure` if a recording cannot be written or its container is unknown.
    init(_ configuration: PeerConnection.Configuration) throws(MediaFailure) {
        let source: SourceChoice =
            switch configuration.source {
            case .file(let path): .file(path)
            case .camera(let device): .camera(device)
            case .pattern: .pattern
            case .none: .none
            }
        self.init(
            source: source,
            testVideo: "",
            library: PipelineLibrary(directory: configuration.pipelines)
        )
        audio.microphone = .none
        recording = try Self.file(configuration.recording, configuration.overwritesRecordings)
        do throws(MediaFailure) {
            localRecording = try Self.file(configuration.localRecording, configuration.overwritesRecordings)
        } catch {
            discardUnusedRecordings()
            throw error
        }
        for container in [recording, localRecording].compactMap(\.self).map(\.container) {
            codecs = codecs.filter(container.codecs.contains)
        }
        iceServers = configuration.iceServers.map {
            ICEServer(urls: $0.urls, username: $0.username, credential: $0.credential)
        }
        relayOnly = configuration.relayOnly
        startBitrate = configuration.startBitrate
    }

    private static func file(_ path: String?, _ overwrite: Bool) throws(MediaFailure) -> RecordingFile? {
        guard let path else { return nil }
        guard let container = Container(path: path) else {
            throw .recording(
                message: "\(path) has no extension of a supported container",
                hint: "use one of \(Container.allCases.map { ".\($0)" }.joined(separator: ", "))"
            )
        }
        return try RecordingFile(path: path, container: container, overwrite: overwrite)
    }
}
