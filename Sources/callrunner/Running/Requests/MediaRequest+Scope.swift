internal import CallCore
internal import CallMedia

extension MediaRequest {
    /// Reads the kinds and directions of the call's media.
    ///
    /// - Throws: `Failure` with exit code 64 for flags that contradict each other.
    static func scope(_ flags: MediaFlags, _ settings: Settings) throws(Failure) -> MediaScope {
        var scope = MediaScope()
        scope.kinds = try settings.required(.media, flags.media, kinds)
        switch try settings.choice(.recvonly, flags.recvonly, .sendonly, flags.sendonly) {
        case .recvonly?: scope.sends = false
        case .sendonly?: scope.receives = false
        default: break
        }
        return scope
    }

    private static func kinds(_ text: String) throws -> Set<MediaKind> {
        switch text.lowercased() {
        case "audio": return [.audio]
        case "video": return [.video]
        case "both": return [.audio, .video]
        default: throw SettingText.Problem("“\(text)” is no medium; give audio, video or both")
        }
    }

    /// Reads the source; none if the call only receives.
    ///
    /// - Throws: `Failure` with exit code 64 for flags that contradict each other.
    static func source(
        _ flags: MediaFlags,
        _ settings: Settings,
        in scope: MediaScope,
        beside sound: AudioSettings
    ) throws(Failure) -> SourceChoice {
        let source = try settings.required(.source, flags.source, source)
        guard scope.sends else {
            guard flags.source == nil || source == .none else {
                throw .usage(
                    "--recvonly sends nothing, and --source names what to send",
                    hint: "leave one out"
                )
            }
            return .none
        }
        let speaks = sound.microphone != .automatic && sound.microphone != .none
        guard scope.receives || source != .none || speaks else {
            throw .usage("--sendonly with --source none leaves nothing to do", hint: "leave one out")
        }
        return source
    }

    /// Checks that there is something to record.
    ///
    /// - Throws: `Failure` with exit code 64.
    static func check(_ recording: RecordingRequest, in scope: MediaScope) throws(Failure) {
        if recording.remote != nil, !scope.receives {
            throw .usage("--sendonly receives nothing that --record could hold", hint: "use --record-local")
        }
        if recording.local != nil, !scope.sends {
            throw .usage("--recvonly sends nothing that --record-local could hold", hint: "use --record")
        }
        if recording.both != nil, !scope.receives || !scope.sends {
            throw .usage(
                "--record-both needs both directions, and this call has one",
                hint: scope.sends ? "use --record-local" : "use --record"
            )
        }
        if recording.snapshot != nil, !scope.receives {
            throw .usage("--sendonly receives no picture for --snapshot", hint: "leave one out")
        }
        if recording.snapshot != nil, !scope.kinds.contains(.video) {
            throw .usage("--media audio has no picture for --snapshot", hint: "leave one out")
        }
    }
}
