internal import AppFlow
internal import Basics
internal import CallCore
internal import CallMedia
internal import MediaKit

/// The final check of a run that ended without a failure.
///
/// The check fails if expected media was not received, or if a requested file does not exist.
struct RunVerdict {
    /// A requested file that does not exist.
    struct MissingFile: Hashable {
        enum Kind: Hashable {
            case recording(Set<MediaSide>)
            case snapshot
        }

        var path: String
        var kind: Kind
    }

    let outcome: RunOutcome
    /// The media expected and received in the last call; only this call is checked.
    let call: CallReception
    let missing: [MissingFile]
    /// The requested length of the call, if any.
    var duration: Duration?

    /// The time for which media must have been connected before it is a failure that no media was received;
    /// a shorter requested length of the call replaces this time.
    ///
    /// A slow machine may need a second to send a frame.
    private static let minimumDuration = Duration.seconds(2)

    /// The failure that the check found; nil if the run did what was requested.
    var diagnosis: Diagnosis? { nothingReceived ?? nothingKept }

    private var nothingReceived: Diagnosis? {
        let limit = min(duration ?? Self.minimumDuration, Self.minimumDuration)
        guard outcome.wasHeld, !call.expected.isEmpty, call.frames == 0, call.span >= limit else {
            return nil
        }
        let words = [(MediaKind.audio, "audio"), (.video, "video")]
        let kinds = words.filter { call.expected.contains($0.0) }.map(\.1).joined(separator: " and ")
        return Diagnosis(
            exit: .mediaFailed,
            code: "nothing-received",
            message:
                "no media received: the peer agreed to send \(kinds), and nothing usable arrived",
            hint: "make sure that the peer's source works and its camera is on"
        )
    }

    private var nothingKept: Diagnosis? {
        guard let first = missing.first else { return nil }
        let (reason, hint) = explanation(of: first)
        return Diagnosis(
            exit: .recordingFailed,
            code: "nothing-recorded",
            message: "nothing was written to \(missing.map(\.path).joined(separator: " and ")): \(reason)",
            hint: hint
        )
    }

    private func explanation(of file: MissingFile) -> (reason: String, hint: String) {
        guard outcome.wasHeld else {
            return ("no call was established", "start the peer, and end this side only after the call")
        }
        switch file.kind {
        case .recording([.local]):
            return ("this side sent no media", "check --source; --record records the peer")
        case .recording, .snapshot:
            guard call.expected.isEmpty else {
                let isSnapshot = file.kind == .snapshot
                return (
                    isSnapshot
                        ? "no complete video frame of the peer arrived" : "no media of the peer arrived",
                    "make the call longer, and make sure that the peer's source works"
                )
            }
            return (
                "the negotiated session has no media from the peer",
                "check what the peer sends: its --source and --recvonly, or the camera of its web page"
            )
        }
    }
}

extension MediaConfiguration {
    /// Returns descriptions of the missing files at these paths.
    func files(missingAt paths: [String]) -> [RunVerdict.MissingFile] {
        paths.map { path in
            let sides: Set<MediaSide>? =
                switch path {
                case recording?.path: [.remote]
                case localRecording?.path: [.local]
                case bothRecording?.path: [.remote, .local]
                default: nil
                }
            return RunVerdict.MissingFile(path: path, kind: sides.map { .recording($0) } ?? .snapshot)
        }
    }
}
