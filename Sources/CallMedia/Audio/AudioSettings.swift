/// How a call captures and plays sound.
package struct AudioSettings: Hashable, Sendable {
    /// What `--microphone` or `--speaker` names.
    package enum Choice: Hashable, Sendable {
        /// Nobody said anything: what the call suggests.
        case automatic
        case none
        /// The one that the sound server or the system uses by itself.
        case standard
        /// By its id or its name, as `callrunner devices` prints them.
        case named(String)

        /// - Parameter text: as on the command line.
        package init(_ text: String) {
            switch text {
            case "none": self = .none
            case "default": self = .standard
            default: self = .named(text)
            }
        }
    }

    /// A person beside a camera or a screen speaks; a file has its own sound.
    package var microphone = Choice.automatic
    /// Whoever has a window hears.
    package var speaker = Choice.automatic
    /// Percent of the loudness that comes, 0…150.
    package var volume = 100
    /// What is done to the voice; nil for all of it where microphone and loudspeaker are devices.
    package var processing: Set<VoiceProcessing>?
    /// Who gives out the devices; nil where there is no sound at all.
    package var capture: AudioSystem?
    package var playback: AudioSystem?

    /// The range of `volume`.
    package static let volumes = 0...150

    package init() {}

    /// The next loudness above or below one, in percent.
    package static func volume(besides volume: Int, isLouder: Bool) -> Int {
        min(volumes.upperBound, max(volumes.lowerBound, volume + (isLouder ? 10 : -10)))
    }
}

/// What gives out microphones and loudspeakers.
package enum AudioSystem: Hashable, Sendable {
    /// A server of PulseAudio, or of PipeWire in its place.
    case pulse
    case alsa
}

/// What webrtcdsp does to a voice.
package enum VoiceProcessing: String, Hashable, Sendable, CaseIterable {
    /// Takes what the loudspeaker plays out of what the microphone hears.
    case echo
    case noise
    /// Brings a soft or a loud voice to one level.
    case gain
}
