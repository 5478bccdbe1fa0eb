package import Basics

/// The microphone and the loudspeaker to find.
package struct AudioRequest: Sendable {
    package var settings: AudioSettings
    /// Whether audio is sent and received.
    package var (sends, receives): (Bool, Bool)
    /// The source; beside one that may have no audio, an automatic choice selects a microphone.
    package var source: SourceChoice
    /// Whether an automatic choice selects a loudspeaker, because a person watches.
    package var needsSpeaker: Bool
    /// The devices that are used, if they are available, for an automatic choice.
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
