extension StreamPlayer {
    /// The configuration of a player.
    public struct Configuration: Sendable {
        /// The output for audio.
        public enum Speaker: Hashable, Sendable {
            /// No output; audio is not heard.
            case none
            /// The default loudspeaker of PulseAudio or PipeWire.
            case standard
            /// The loudspeaker with this name, as listed by `callrunner devices`.
            case named(String)
        }

        /// The URL of a playlist (`.m3u8`) or of a media file, a playback ID of stream.mux.com, or the path of a file.
        public var address: String
        /// The directory of the pipeline templates: `pipelines/` of this package.
        public var pipelines: String
        /// The output for audio; none by default.
        public var speaker = Speaker.none
        /// The volume in percent, 0…150.
        public var volume = 100
        /// Whether a file restarts after its end; a live stream never does.
        public var loops = false

        /// Creates a configuration without audio.
        public init(address: String, pipelines: String) {
            (self.address, self.pipelines) = (address, pipelines)
        }
    }
}
