internal import FoundationEssentials
internal import Glibc

/// Where sound can go on this machine.
enum SoundOutput {
    /// A server of PulseAudio or PipeWire, else a sound card of ALSA, in words; nil where there is neither.
    static func finding(_ environment: [String: String]) -> String? {
        if let server = environment["PULSE_SERVER"], !server.isEmpty { return "PulseAudio at \(server)" }
        let sockets = ["\(environment["XDG_RUNTIME_DIR"] ?? "")/pulse/native", "/run/pulse/native"]
        if let socket = sockets.first(where: FileManager.default.fileExists) {
            return "PulseAudio at \(socket)"
        }
        let devices = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/snd")) ?? []
        // As in pcmC0D0p: the p is for playback.
        return devices.contains { $0.hasPrefix("pcm") && $0.hasSuffix("p") } ? "ALSA" : nil
    }

    /// Keeps GStreamer from trying ALSA where nothing can be heard: ALSA's library tells of its failures on
    /// standard error, in ten lines.
    ///
    /// Call it before GStreamer starts and while the process has one thread; it changes the environment.
    static func skipALSAWhereSilent() {
        let environment = ProcessInfo.processInfo.environment
        guard finding(environment) == nil else { return }
        let ranks = ["alsasink:NONE", "openalsink:NONE", environment[rankVariable]]
        setenv(rankVariable, ranks.compactMap(\.self).joined(separator: ","), 1)
    }

    /// GStreamer's own, of which the last word on an element counts.
    private static let rankVariable = "GST_PLUGIN_FEATURE_RANK"
}
