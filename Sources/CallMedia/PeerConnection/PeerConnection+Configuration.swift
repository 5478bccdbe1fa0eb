internal import CallCore

extension PeerConnection {
    /// What a peer connection sends, records and reaches its peer through.
    public struct Configuration: Sendable {
        /// What is sent.
        public enum Source: Hashable, Sendable {
            /// An MP4 or Matroska file, looped; H.264 and Opus that the peer accepts are not decoded.
            case file(String)
            /// A v4l2 device, or the first one there is.
            case camera(String?)
            /// A generated picture and a tick each second.
            case pattern
            /// Nothing: the connection only receives.
            case none
        }

        /// A STUN or TURN server (RTCIceServer).
        public struct ICEServer: Hashable, Sendable {
            /// `stun:` and `turn:` URLs (RFC 7064, RFC 7065).
            public var urls: [String]
            /// For TURN.
            public var username: String?
            /// For TURN.
            public var credential: String?

            /// Names a server by its URLs; TURN asks for a name and a credential.
            public init(urls: [String], username: String? = nil, credential: String? = nil) {
                (self.urls, self.username, self.credential) = (urls, username, credential)
            }
        }

        /// What is sent.
        public var source: Source
        /// The folder of pipeline descriptions: `pipelines/` of this package.
        public var pipelines: String
        /// Where the remote side is recorded: a path that ends in `.mkv`, `.mp4` or `.webm`.
        ///
        /// The container narrows the codecs that are offered and accepted.
        public var recording: String?
        /// Where what is sent is recorded.
        public var localRecording: String?
        /// Whether recordings may replace files.
        public var overwritesRecordings = false
        /// What helps to find a way to the peer.
        public var iceServers: [ICEServer] = []
        /// Whether media goes through TURN servers alone.
        public var relayOnly = false
        /// Bits per second that video encoders start with.
        public var startBitrate = 1_500_000

        /// Sends `source`, records nothing and uses no ICE server.
        public init(source: Source, pipelines: String) {
            (self.source, self.pipelines) = (source, pipelines)
        }
    }
}

extension MediaConfiguration {
    /// - Throws: `MediaFailure` for a recording that cannot be written, or of no known container.
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
        sound.microphone = .none
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
                message: "\(path) names no container",
                hint: "end it in \(Container.allCases.map { ".\($0)" }.joined(separator: ", "))"
            )
        }
        return try RecordingFile(path: path, container: container, overwrite: overwrite)
    }
}
