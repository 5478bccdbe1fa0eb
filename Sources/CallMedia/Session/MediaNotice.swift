package import CallCore

/// A notice about media outside the events of a call, such as opened sources and saved recordings.
package enum MediaNotice: Hashable, Sendable {
    /// The source was opened; `reason` explains why it was chosen or why it is transcoded.
    case source(kind: String, name: String, video: Passthrough?, audio: Passthrough?, reason: String?)
    /// The microphone and loudspeaker were opened, with this voice processing.
    case audioDevices(microphone: String?, speaker: String?, processing: Set<VoiceProcessing>)
    /// Another device is used from now on.
    case selected(CallDevice)
    case recordingSaved(SavedRecording)
    /// The user started a recording during the call.
    case recordingStarted(path: String, sides: Set<MediaSide>)
    /// A recording started by the user failed, for the reason in `message`; the call continues.
    case recordingFailed(path: String, message: String)
    /// A snapshot of the peer's video was written.
    case snapshotSaved(path: String, bytes: Int)
    /// No samples arrived, so there is no file at the path.
    case recordingEmpty(path: String)
    /// A problem that the call survives, described in one sentence.
    case warning(String)
    /// A failure without a session to report it: between attempts, or while closing files.
    case failed(MediaFailure)
    /// The graph of an attempt's pipeline at a `moment`, in the DOT language, if configured.
    case graph(moment: String, dot: String)

    /// Whether a stream is sent without re-encoding; if not, the reason.
    package enum Passthrough: Hashable, Sendable {
        case untouched
        case encoded(reason: String)

        package var isUntouched: Bool { self == .untouched }
    }
}
