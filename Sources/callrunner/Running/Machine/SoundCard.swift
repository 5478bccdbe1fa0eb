internal import CallMedia
internal import FoundationEssentials

/// What gives out microphones and loudspeakers on this machine; nothing is opened or started to find out.
enum SoundCard {
    enum Direction: Character {
        // As in pcmC0D0p.
        case capture = "c"
        case playback = "p"
    }

    /// A server of PulseAudio or PipeWire, else a sound card of ALSA; nil where there is neither.
    static func system(_ direction: Direction, _ environment: [String: String]) -> AudioSystem? {
        if server(environment) != nil { return .pulse }
        let devices = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/snd")) ?? []
        return devices.contains { $0.hasPrefix("pcm") && $0.last == direction.rawValue } ? .alsa : nil
    }

    /// As `system(_:_:)`, in words.
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
