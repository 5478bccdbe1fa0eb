package import CallCore

/// What media tells besides the call: what is sent, and what became of recordings.
package enum MediaNotice: Hashable, Sendable {
    /// The source that was opened; `reason` says why it is this one, or why it is transcoded.
    case source(kind: String, name: String, video: Passthrough?, audio: Passthrough?, reason: String?)
    /// The devices by which one speaks and hears, and what is done to the voice.
    case sound(microphone: String?, speaker: String?, processing: Set<VoiceProcessing>)
    /// Another device is used from now on.
    case selected(CallDevice)
    case recordingSaved(SavedRecording)
    /// Somebody began to record the running call.
    case recordingStarted(path: String, sides: Set<MediaSide>)
    /// What was begun so came to an end by itself, and the call goes on; why, in one sentence.
    case recordingFailed(path: String, message: String)
    /// A picture of the peer was written.
    case snapshotSaved(path: String, bytes: Int)
    /// Nothing came, so no file is left at the path.
    case recordingEmpty(path: String)
    /// Something that the call survives, in one sentence.
    case warning(String)
    /// What broke while no session was there to tell it: between attempts, or when files were closed.
    case failed(MediaFailure)
    /// What an attempt's pipeline looks like at a `moment`, in dot; where the configuration wants it.
    case graph(moment: String, dot: String)

    /// Whether a stream goes out as it is; the reason where it does not.
    package enum Passthrough: Hashable, Sendable {
        case untouched
        case encoded(reason: String)

        package var isUntouched: Bool { self == .untouched }
    }
}
