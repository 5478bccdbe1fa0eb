internal import CallMedia
internal import CallWindow
internal import DesktopKit
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

    static func sound(_ environment: [String: String]) -> [MediaDoctor.Check] {
        [
            (
                SoundCard.Direction.playback, "sound output",
                "the peer is not heard; recording works all the same"
            ),
            (.capture, "sound input", "camera and screen are sent with silence"),
        ].map { direction, name, consequence in
            let finding = SoundCard.finding(direction, environment)
            return MediaDoctor.Check(
                name: name,
                verdict: finding == nil ? .limited : .good,
                finding: finding ?? "none",
                fix: finding == nil
                    ? "\(consequence); start PulseAudio or PipeWire, or connect a sound card" : nil
            )
        }
    }

    /// Whether the app's secrets have a keyring.
    static func keyring(_ environment: [String: String]) async -> MediaDoctor.Check {
        let isThere = await SecretService(environment) != nil
        return MediaDoctor.Check(
            name: "keyring",
            verdict: isThere ? .good : .limited,
            finding: isThere ? "there is one" : "no Secret Service",
            fix: isThere
                ? nil
                : "room tokens are kept in a file that only you may read; gnome-keyring brings a keyring"
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
