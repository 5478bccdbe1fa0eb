internal import CallCore
internal import GStreamerKit

/// A microphone or a loudspeaker, as it is opened.
struct AudioDevice: Hashable, Sendable {
    enum Direction: Hashable, Sendable { case capture, playback }

    /// The GStreamer element that opens it, as in `pulsesrc`.
    var element: String
    /// Which one; nil for the one that the sound system uses by itself.
    var address: String?
    /// For people.
    var name: String

    /// The device that a choice means; nil where there is no sound on this machine.
    ///
    /// Sound servers may be asked, and so block.
    ///
    /// - Throws: `MediaFailure.source` that lists what there is, where the name is unknown.
    @MediaActor
    static func find(
        _ choice: AudioSettings.Choice,
        _ direction: Direction,
        on system: AudioSystem?
    ) throws(MediaFailure) -> AudioDevice? {
        switch choice {
        case .automatic, .standard: return system.map { AudioDevice(standardOf: $0, direction) }
        case .none: return nil
        case .named(let name):
            let known = all(direction)
            if let device = known.first(where: { $0.address == name }) { return device }
            if let device = known.first(where: { $0.name == name }) { return device }
            throw unknown(name, direction, among: known)
        }
    }

    private init(element: String, address: String?, name: String) {
        (self.element, self.address, self.name) = (element, address, name)
    }

    private init(standardOf system: AudioSystem, _ direction: Direction) {
        switch (system, direction) {
        case (.pulse, .capture): element = "pulsesrc"
        case (.pulse, .playback): element = "pulsesink"
        case (.alsa, .capture): element = "alsasrc"
        case (.alsa, .playback): element = "alsasink"
        }
        name = "default"
    }

    /// What can be named, PulseAudio's monitors of loudspeakers among the microphones.
    @MediaActor
    private static func all(_ direction: Direction) -> [AudioDevice] {
        Device.all(of: [direction == .capture ? "Audio/Source" : "Audio/Sink"]).compactMap { device in
            guard let element = device.element, let address = device.address else { return nil }
            return AudioDevice(element: element, address: address, name: device.name)
        }
    }

    private static func unknown(
        _ name: String,
        _ direction: Direction,
        among known: [AudioDevice]
    ) -> MediaFailure {
        let (what, flag) =
            direction == .capture ? ("microphone", "--microphone") : ("loudspeaker", "--speaker")
        let others = known.compactMap(\.address).joined(separator: ", ")
        return .source(
            message: "there is no \(what) \(name); "
                + (others.isEmpty ? "there is none at all" : "there is \(others)"),
            hint: "name another one, see `callrunner devices`, or use \(flag) default or \(flag) none"
        )
    }
}
