internal import CallMedia
internal import DesktopKit
internal import HTTPFront
internal import Logging
internal import SignalingServer
internal import WindowKit

/// The checks of `callrunner doctor` other than those of media.
enum MachineCheck {
    /// Checks that the configuration file is valid, and that other users can neither read nor write it.
    static func configuration(_ file: SettingsFile, _ problems: [Failure]) -> MediaDoctor.Check {
        let wrong = problems.map { $0.message }.joined(separator: "; ")
        let openness = file.path.map {
            "run \(file.openness.fixCommand($0)), so that other users cannot \(file.openness.verbs) the file"
        }
        let fixes =
            problems.compactMap { $0.hint } + [file.openness.isEmpty ? nil : openness].compactMap(\.self)
        let good =
            file.texts.isEmpty
            ? "there is no configuration file, or it sets nothing" : "\(file.path ?? "a file") is valid"
        return MediaDoctor.Check(
            name: "configuration",
            verdict: !problems.isEmpty ? .failed : file.openness.isEmpty ? .good : .limited,
            finding: !problems.isEmpty
                ? wrong
                : file.openness.isEmpty
                    ? good : "all users of this machine may \(file.openness.verbs) the file",
            fix: fixes.isEmpty ? nil : fixes.joined(separator: "; ")
        )
    }

    /// Checks with SDL whether a window can open.
    ///
    /// A display that does not respond within the limit is reported as a limitation.
    static func display(
        _ environment: [String: String],
        limit: Duration = .seconds(5),
        obstacle: @escaping @Sendable () async -> WindowError? = { @WindowActor in Display.obstacle() }
    ) async -> MediaDoctor.Check {
        let (finding, hint) =
            Display.isAvailable(in: environment)
            ? await trial(limit, obstacle) : ("none", nil)
        let isGood = finding == nil
        let consequence = "calls and recordings work with --headless"
        return MediaDoctor.Check(
            name: "display",
            verdict: isGood ? .good : .limited,
            finding: finding ?? "available",
            fix: isGood ? nil : [hint, consequence].compactMap(\.self).joined(separator: "; ")
        )
    }

    /// Checks whether a window can open; both values are nil if it can.
    ///
    /// SDL has no timeout, so an attempt that hangs is abandoned but continues until the process ends.
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
            answer.yield(("it does not respond", "check that the display server is running"))
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
            finding: family ?? "no font is installed",
            fix: isPreferred
                ? nil
                : (family == nil
                    ? "the window shows no text" : "the window looks best with Roboto")
                    + "; install fonts-roboto-unhinted"
        )
    }

    static func audio(_ environment: [String: String]) -> [MediaDoctor.Check] {
        [
            (
                SoundCard.Direction.playback, "audio output",
                "the peer cannot be heard, but recording works"
            ),
            (.capture, "audio input", "camera and screen are sent with silent audio"),
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
                finding: "no Secret Service on the session bus",
                fix:
                    "the app keeps room tokens in a file that only you can read; install gnome-keyring for a keyring"
            )
        }
        let isLocked = await service.isLocked()
        return MediaDoctor.Check(
            name: "keyring",
            verdict: isLocked ? .limited : .good,
            finding: isLocked
                ? "available, but locked" : "available; the app keeps room tokens there",
            fix: isLocked ? "unlock it; otherwise the app asks you to when it saves a room token" : nil
        )
    }

    /// Checks whether a call without `--server` would run an embedded server.
    static func serverAddress() async -> MediaDoctor.Check {
        let url = EmbeddedServer.defaultURL
        var finding: String
        var fix: String?
        var verdict = MediaDoctor.Check.Verdict.good
        do {
            try await SignalingServer.run(ServerConfiguration(), logger: Logger(label: "callrunner.doctor")) {
                _ in
            }
            finding = "\(url) is free; a call without --server starts a server there"
        } catch ServerError.addressInUse {
            switch await ServerProbe(url) {
            case .callrunner, .signalingServer, .nobody:
                finding = "a signaling server runs at \(url); a call without --server connects to it"
            case .foreign, .accountServer:
                verdict = .limited
                finding = "a program that is not a signaling server listens at \(url)"
                fix = ServerProbe.remedy("--server")
            }
        } catch {
            (verdict, finding) = (.limited, "\(error); calls need --server URL")
        }
        return MediaDoctor.Check(name: "signaling server", verdict: verdict, finding: finding, fix: fix)
    }
}
