package import Basics
package import MediaKit

/// The outputs of a player.
package struct LiveOutput: Sendable {
    /// Receives each frame on a streaming thread when it is due; nil if video is not shown.
    package var show: (@Sendable (VideoFrame) -> Void)?
    /// Whether the frames are visible now; while they are not, most of them are not decoded.
    var isSeen: @Sendable () -> Bool
    /// The height in pixels at which frames are shown, which limits the quality; nil if it is unknown.
    var height: @Sendable () -> Int?
    /// The recording of the stream in its original codecs; nil for none.
    package let recording: StreamRecording?
    /// The loudspeaker; nil if audio is discarded in real time instead of being played.
    package var speaker: AudioDevice?
    /// Whether a loudspeaker that the user selects replaces `speaker`.
    let takesSelectedSpeaker: Bool

    package init(
        show: (@Sendable (VideoFrame) -> Void)? = nil,
        isSeen: @escaping @Sendable () -> Bool = { true },
        height: @escaping @Sendable () -> Int? = { nil },
        speaker: AudioDevice? = nil,
        takesSelectedSpeaker: Bool = false,
        recording: StreamRecording? = nil
    ) {
        (self.show, self.speaker, self.recording) = (show, speaker, recording)
        self.takesSelectedSpeaker = takesSelectedSpeaker
        // A recording has the best quality.
        self.height = { recording == nil ? height() : nil }
        self.isSeen = { show != nil && isSeen() }
    }
}
