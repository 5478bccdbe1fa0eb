package import Basics

/// A notice about media that is not an event of a session, such as a saved recording.
package enum MediaNotice: Hashable, Sendable {
    /// The source was opened or, after its loss, replaced; `video` and `audio` are nil if it has no such
    /// track.
    ///
    /// `reason` explains the choice, the transcoding or a missing track of the source, or states the format
    /// of a camera; nil if there is nothing to explain.
    case source(kind: String, name: String, video: Passthrough?, audio: Passthrough?, reason: String?)
    /// The call uses this microphone and this loudspeaker, each nil if there is none, with this voice
    /// processing.
    case audioDevices(microphone: String?, speaker: String?, processing: Set<VoiceProcessing>)
    /// The user has selected another device, which is now used.
    case selected(MediaDevice)
    case recordingSaved(SavedRecording)
    /// The user started a recording during the call.
    case recordingStarted(path: String, sides: Set<MediaSide>)
    /// A recording started by the user failed, for the reason in `message`; the call continues.
    case recordingFailed(path: String, message: String)
    /// A snapshot of the peer's video was written.
    case snapshotSaved(path: String, bytes: Int)
    /// No samples were received, so no file was saved at the path.
    case recordingEmpty(path: String)
    /// A problem that does not end the call, described in one sentence.
    case warning(String)
    /// A failure that no session can report, because it occurred between attempts or while closing files.
    case failed(MediaFailure)
    /// The graph of an attempt's pipeline in the DOT language, drawn at `moment`, such as `connected`.
    case graph(moment: String, dot: String)

    /// Whether a stream is sent without re-encoding; if not, the reason.
    package enum Passthrough: Codable, Hashable, Sendable {
        case untouched
        case encoded(reason: String)

        package var isUntouched: Bool { self == .untouched }
    }
}
