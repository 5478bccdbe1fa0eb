package import Basics
package import MediaKit

/// The outputs of a player.
package struct LiveOutput: Sendable {
    /// Receives the frames on a streaming thread, at the times at which they are to be shown; nil if nobody
    /// looks.
    package var show: (@Sendable (VideoFrame) -> Void)?
    /// The recording of what is played, in the codecs of the stream; nil for none.
    package var recording: StreamRecording?
    /// The loudspeaker; nil if audio is only paced and not heard.
    package var speaker: AudioDevice?

    package init(
        show: (@Sendable (VideoFrame) -> Void)? = nil,
        speaker: AudioDevice? = nil,
        recording: StreamRecording? = nil
    ) {
        (self.show, self.speaker, self.recording) = (show, speaker, recording)
    }
}
