package import Basics
internal import GStreamerKit

/// A microphone or loudspeaker and the GStreamer element that opens it.
package struct AudioDevice: Codable, Hashable, Sendable {
    package enum Direction: Hashable, Sendable { case capture, playback }

    /// The factory name of the GStreamer element that opens the device, such as `pulsesrc`.
    package var element: String
    /// The value of the element's `device` property; nil for the default device.
    package var address: String?
    /// The name shown to users.
    package var name: String

    /// Finds the device for a user's choice; nil for `none`, or if a default device is chosen and `system` is nil.
    ///
    /// The call may block, because it queries the sound server.
    ///
    /// - Throws: `MediaFailure.source`, which lists the available devices, if the name is unknown.
    @MediaActor
    package static func find(
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

    /// Returns all devices that users can select by name; microphones include PulseAudio's monitor sources.
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
                + (others.isEmpty ? "none is connected" : "connected: \(others)"),
            hint: "choose one that `callrunner devices` lists, or use \(flag) default or \(flag) none"
        )
    }
}
