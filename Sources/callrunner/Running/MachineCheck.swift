internal import CallMedia
internal import CallWindow
internal import FoundationEssentials
internal import Logging
internal import SignalingServer

/// What the doctor looks at besides media; nothing is opened that could make somebody wait.
enum MachineCheck {
    static func display(_ environment: [String: String]) -> MediaDoctor.Check {
        let hasDisplay = Display.isAvailable(in: environment)
        return MediaDoctor.Check(
            name: "display",
            verdict: hasDisplay ? .good : .limited,
            finding: hasDisplay ? "there is one" : "none",
            fix: hasDisplay ? nil : "calls run headless; recording works all the same"
        )
    }

    /// A server of PulseAudio or PipeWire, else a sound card of ALSA.
    static func sound(_ environment: [String: String]) -> MediaDoctor.Check {
        let server =
            environment["PULSE_SERVER"]
            ?? environment["XDG_RUNTIME_DIR"].map { "\($0)/pulse/native" }.flatMap { socket in
                FileManager.default.fileExists(atPath: socket) ? socket : nil
            }
        let devices = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/snd")) ?? []
        // As in pcmC0D0p: the p is for playback.
        let hasCard = devices.contains { $0.hasPrefix("pcm") && $0.hasSuffix("p") }
        let finding = server.map { "PulseAudio at \($0)" } ?? (hasCard ? "ALSA" : "none")
        let isThere = server != nil || hasCard
        return MediaDoctor.Check(
            name: "sound output",
            verdict: isThere ? .good : .limited,
            finding: finding,
            fix: isThere ? nil : "the peer is not heard in the window; recording works all the same"
        )
    }

    /// Whether a call that names no server would serve itself.
    static func serverAddress() async -> MediaDoctor.Check {
        let finding: String
        var verdict = MediaDoctor.Check.Verdict.good
        do {
            try await SignalingServer.run(ServerConfiguration(), logger: Logger(label: "callrunner.doctor")) {
                _ in
            }
            finding = "\(EmbeddedServer.defaultURL) is free; a call without --server serves there"
        } catch ServerError.addressInUse {
            finding = "somebody listens at \(EmbeddedServer.defaultURL); a call without --server joins there"
        } catch {
            (verdict, finding) = (.limited, "\(error); a call must name a server with --server")
        }
        return MediaDoctor.Check(name: "signaling server", verdict: verdict, finding: finding)
    }
}
