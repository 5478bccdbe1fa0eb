internal import CallCore
internal import CallFlow
internal import CallMedia

/// The verdict on a run without a failure.
///
/// Expected media must have been received, and every requested file must exist.
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
    /// The media of the last call, which decides the exit code.
    let call: CallReception
    let missing: [MissingFile]
    /// The requested length of the call, if any.
    var duration: Duration?

    /// The time after which media is expected in a call without a requested length.
    private static let patience = Duration.seconds(1)

    /// The failure of the run; nil if it did what was requested.
    var diagnosis: Diagnosis? { nothingReceived ?? nothingKept }

    private var nothingReceived: Diagnosis? {
        let limit = min(duration ?? Self.patience, Self.patience)
        guard outcome.wasHeld, !call.expected.isEmpty, call.frames == 0, call.span >= limit else {
            return nil
        }
        let words = [(MediaKind.audio, "sound"), (.video, "pictures")]
        let kinds = words.filter { call.expected.contains($0.0) }.map(\.1).joined(separator: " and ")
        return Diagnosis(
            exit: .mediaFailed,
            code: "nothing-received",
            message:
                "nothing was received: the peer was to send \(kinds), and nothing came that could be used",
            hint: "see at the peer whether its source works and its camera is on"
        )
    }

    private var nothingKept: Diagnosis? {
        guard let first = missing.first else { return nil }
        let (reason, hint) = explanation(of: first)
        return Diagnosis(
            exit: .recordingFailed,
            code: "nothing-recorded",
            message: "nothing was kept in \(missing.map(\.path).joined(separator: " and ")): \(reason)",
            hint: hint
        )
    }

    private func explanation(of file: MissingFile) -> (reason: String, hint: String) {
        guard outcome.wasHeld else {
            return ("no call was held", "start the other side, and end this one after the call")
        }
        switch file.kind {
        case .recording([.local]):
            return ("this side sent nothing", "see --source; --record keeps what comes")
        case .recording, .snapshot:
            guard call.expected.isEmpty else {
                let isSnapshot = file.kind == .snapshot
                return (
                    isSnapshot ? "no whole picture of the peer came" : "nothing of the peer came",
                    "let the call last longer, and see at the peer whether its source works"
                )
            }
            return (
                "by what both sides agreed on the peer sends nothing",
                "see what the peer sends: its --source, its --recvonly, or its page's camera"
            )
        }
    }
}

extension MediaConfiguration {
    /// Describes the requested files with these paths.
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
