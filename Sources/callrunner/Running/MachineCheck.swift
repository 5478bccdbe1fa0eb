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

    /// Whether the window's letters look as they should.
    static func fonts(found family: String? = WindowFonts.family) -> MediaDoctor.Check {
        let isPreferred = family == WindowFonts.preferred
        return MediaDoctor.Check(
            name: "fonts",
            verdict: isPreferred ? .good : .limited,
            finding: family ?? "neither Roboto nor DejaVu Sans",
            fix: isPreferred
                ? nil
                : (family == nil
                    ? "letters in the window are coarse and Latin only" : "the window looks best with Roboto")
                    + "; install fonts-roboto-unhinted"
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
        guard let service = await SecretService(environment) else {
            return MediaDoctor.Check(
                name: "keyring",
                verdict: .limited,
                finding: "no Secret Service on the session's bus",
                fix:
                    "the app keeps room tokens in a file that only you may read; gnome-keyring brings a keyring"
            )
        }
        let isLocked = await service.isLocked()
        return MediaDoctor.Check(
            name: "keyring",
            verdict: isLocked ? .limited : .good,
            finding: isLocked
                ? "there is one, and it is locked" : "there is one; the app keeps room tokens there",
            fix: isLocked ? "unlock it, or the app asks you to when it has a room token to keep" : nil
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
