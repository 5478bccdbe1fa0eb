package import Basics

/// A request for a microphone to send from and a loudspeaker to play on.
package struct AudioRequest: Sendable {
    /// The choice of the devices, the volume and the voice processing.
    package var settings: AudioSettings
    /// Whether audio is sent, so that a microphone may be needed.
    package var sends: Bool
    /// Whether audio is received, so that a loudspeaker may be needed.
    package var receives: Bool
    /// The source of the video; if it may have no audio, an automatic choice selects a microphone.
    package var source: SourceChoice
    /// Whether an automatic choice selects a loudspeaker, as it does if there is a window.
    package var needsSpeaker: Bool
    /// The devices that an automatic choice uses if they are available.
    package var preferred: [MediaDevice.Kind: MediaDevice]
    package var library: PipelineLibrary

    package init(
        settings: AudioSettings,
        sends: Bool,
        receives: Bool,
        source: SourceChoice,
        needsSpeaker: Bool,
        preferred: [MediaDevice.Kind: MediaDevice],
        library: PipelineLibrary
    ) {
        (self.settings, self.sends, self.receives) = (settings, sends, receives)
        (self.source, self.needsSpeaker) = (source, needsSpeaker)
        (self.preferred, self.library) = (preferred, library)
    }
}
