internal import CallMedia
internal import CallWindow
internal import DesktopKit
internal import Logging
internal import SignalingServer

/// The checks of `callrunner doctor` besides those of media.
enum MachineCheck {
    /// Checks that the configuration file is valid, and that other users can neither read nor write it.
    static func configuration(_ file: SettingsFile, _ problems: [Failure]) -> MediaDoctor.Check {
        let wrong = problems.map { $0.message }.joined(separator: "; ")
        let openness = file.path.map { "\(file.openness.cure($0)) keeps others out" }
        let fixes =
            problems.compactMap { $0.hint } + [file.openness.isEmpty ? nil : openness].compactMap(\.self)
        let good = file.texts.isEmpty ? "nothing is set in a file" : "\(file.path ?? "a file") is understood"
        return MediaDoctor.Check(
            name: "configuration",
            verdict: !problems.isEmpty ? .failed : file.openness.isEmpty ? .good : .limited,
            finding: !problems.isEmpty
                ? wrong : file.openness.isEmpty ? good : "everybody here may \(file.openness.verbs) the file",
            fix: fixes.isEmpty ? nil : fixes.joined(separator: "; ")
        )
    }

    /// Checks with SDL whether a window can open.
    ///
    /// A display that does not respond within the limit counts as none.
    static func display(
        _ environment: [String: String],
        limit: Duration = .seconds(5),
        obstacle: @escaping @Sendable () async -> WindowError? = { @WindowActor in Display.obstacle() }
    ) async -> MediaDoctor.Check {
        let (finding, hint) =
            Display.isAvailable(in: environment)
            ? await trial(limit, obstacle) : ("none", nil)
        let isGood = finding == nil
        let consequence = "calls run with --headless; recording works all the same"
        return MediaDoctor.Check(
            name: "display",
            verdict: isGood ? .good : .limited,
            finding: finding ?? "there is one",
            fix: isGood ? nil : [hint, consequence].compactMap(\.self).joined(separator: "; ")
        )
    }

    /// Tries to open a window; both values are nil on success.
    ///
    /// SDL has no timeout: if it hangs, it is left alone until the process ends.
    private static func trial(
        _ limit: Duration,
        _ obstacle: @escaping @Sendable () async -> WindowError?
    ) async -> (finding: String?, hint: String?) {
        let (answers, answer) = AsyncStream.makeStream(of: (finding: String?, hint: String?).self)
        Task {
            let error = await obstacle()
            answer.yield((error?.message, error?.hint))
        }
        let alarm = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            answer.yield(("it does not answer", "see that the display's server runs"))
        }
        defer { alarm.cancel() }
        for await first in answers { return first }
        return (nil, nil)
    }

    /// Checks whether the window's preferred font is installed.
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

    /// Checks whether there is a keyring for the app's secrets.
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

    /// Checks whether a call without `--server` would run an embedded server.
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
