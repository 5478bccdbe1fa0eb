internal import FoundationEssentials
internal import MediaKit

/// The audio system of this computer, detected without opening a device or starting a server.
enum SoundCard {
    enum Direction: Character {
        // The raw value is the last character of an ALSA device's name, as in pcmC0D0p.
        case capture = "c"
        case playback = "p"
    }

    /// Finds a PulseAudio or PipeWire server, else an ALSA sound card; nil if there is neither.
    static func system(_ direction: Direction, _ environment: [String: String]) -> AudioSystem? {
        if server(environment) != nil { return .pulse }
        let devices = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/snd")) ?? []
        return devices.contains { $0.hasPrefix("pcm") && $0.last == direction.rawValue } ? .alsa : nil
    }

    /// Describes the result of `system(_:_:)`; nil without an audio system.
    static func finding(_ direction: Direction, _ environment: [String: String]) -> String? {
        switch system(direction, environment) {
        case .pulse?: "PulseAudio at \(server(environment) ?? "")"
        case .alsa?: "ALSA"
        case nil: nil
        }
    }

    private static func server(_ environment: [String: String]) -> String? {
        if let server = environment["PULSE_SERVER"], !server.isEmpty { return server }
        let sockets = ["\(environment["XDG_RUNTIME_DIR"] ?? "")/pulse/native", "/run/pulse/native"]
        return sockets.first(where: FileManager.default.fileExists)
    }
}
