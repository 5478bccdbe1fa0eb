internal import Basics

/// The settings for capturing and playing audio in a call.
package struct AudioSettings: Hashable, Sendable {
    /// A choice of a device, as made by `--microphone` or `--speaker`.
    package enum Choice: Hashable, Sendable {
        /// No explicit choice: the default of `microphone` or `speaker` applies.
        case automatic
        case none
        /// The default device of the sound server or the system.
        case standard
        /// The device with this ID or name, as printed by `callrunner devices`.
        case named(String)

        /// Parses the value of `--microphone` or `--speaker`.
        package init(_ text: String) {
            switch text {
            case "none": self = .none
            case "default": self = .standard
            default: self = .named(text)
            }
        }
    }

    /// The microphone; by default, one is used together with a camera or a screen, but not with a file, which
    /// has its own audio.
    package var microphone = Choice.automatic
    /// The loudspeaker; by default, one is used if there is a window.
    package var speaker = Choice.automatic
    /// The playback volume in percent, within `PlaybackVolume.range`.
    package var volume = PlaybackVolume.normal
    /// The processing of the microphone's signal; nil to apply all features if there is both a microphone and
    /// a loudspeaker.
    package var processing: Set<VoiceProcessing>?
    /// The audio system that provides microphones; nil if there is none.
    package var capture: AudioSystem?
    package var playback: AudioSystem?

    package init() {}
}

/// An audio system that provides microphones and loudspeakers.
package enum AudioSystem: Hashable, Sendable {
    /// A PulseAudio server, or PipeWire, which provides the same interface.
    case pulse
    case alsa
}

/// A voice processing feature of the GStreamer element `webrtcdsp`.
package enum VoiceProcessing: String, Hashable, Sendable, CaseIterable {
    /// Echo cancellation: removes the loudspeaker's output from the microphone's signal.
    case echo
    case noise
    /// Automatic gain control.
    case gain
}
