package import Basics
package import MediaKit

/// The outputs of a player.
package struct LiveOutput: Sendable {
    /// Receives the frames on a streaming thread, at the times at which they are to be shown; nil if nobody
    /// looks.
    package var show: (@Sendable (VideoFrame) -> Void)?
    /// Whether somebody can see the frames now; while nobody can, most are not decoded.
    var isSeen: @Sendable () -> Bool
    /// The height in pixels at which frames are shown, by which the quality is chosen; nil if it is not known.
    var height: @Sendable () -> Int?
    /// The recording of what is played, in the codecs of the stream; nil for none.
    package let recording: StreamRecording?
    /// The loudspeaker; nil if audio is only paced and not heard.
    package var speaker: AudioDevice?
    /// Whether a loudspeaker that the user selects takes the place of `speaker`.
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
