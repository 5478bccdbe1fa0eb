internal import ArgumentParser
internal import CallCore
internal import CallFlow
internal import CallMedia
internal import CallSignaling
internal import CallWindow
internal import FoundationEssentials

// What the flags mean, each checked where usage errors are due.

extension CallFlags {
    /// The flag, else the variable `CALLRUNNER_<NAME>`.
    private func value(_ flag: String?, _ name: String) -> String? {
        flag ?? ProcessInfo.processInfo.environment["CALLRUNNER_\(name)"]
    }

    /// - Throws: `ValidationError` for what can be seen from the flags alone.
    mutating func validate() throws {
        do {
            _ = try plan()
        } catch let error as IdentityError { throw ValidationError("\(error)") }
        if window && headless { throw ValidationError("--window and --headless exclude each other") }
        if window && !hasDisplay {
            throw ValidationError("--window needs a display; set DISPLAY, or leave it out to run headless")
        }
        if repeatCount < 1 { throw ValidationError("--repeat must be at least 1") }
        if let retries, retries < -1 { throw ValidationError("--retries must be -1 (endless) or more") }
        if overwrite && record == nil && recordLocal == nil {
            throw ValidationError("--overwrite goes with --record or --record-local")
        }
        if let record, record == recordLocal {
            throw ValidationError("--record and --record-local need two files")
        }
        if serverURL.map({ !Self.isWebURL($0) }) ?? false {
            throw ValidationError("--server must be an http:// or https:// URL")
        }
        _ = try codecs()
    }

    private static func isWebURL(_ text: String) -> Bool {
        ["http://", "https://", "ws://", "wss://"].contains { text.hasPrefix($0) && text.count > $0.count }
    }

    var environment: [String: String] { ProcessInfo.processInfo.environment }

    var serverURL: String? { value(server, "SERVER") }

    /// - Throws: `IdentityError`.
    func plan() throws -> CallPlan {
        let login = environment["USER"] ?? environment["LOGNAME"] ?? "callrunner"
        let identity = Identity(
            username: try Username(value(name, "NAME") ?? login),
            room: try RoomID(room)
        )
        var plan = CallPlan(identity: identity, role: caller ? .caller : .callee)
        plan.options.connectTimeout = connectTimeout.duration
        plan.options.ringTimeout = ringTimeout.duration
        plan.options.peerTimeout = peerTimeout?.duration
        plan.options.duration = duration?.duration
        plan.options.retries = retries
        plan.stays = stay
        plan.calls = repeatCount
        plan.pause = pause.duration
        return plan
    }

    /// The codecs that flags and recordings leave, best first.
    ///
    /// - Throws: `ValidationError` for an unknown codec, an unknown extension, or where nothing is left.
    func codecs() throws -> [Codec] {
        var codecs = Codec.allCases
        if let list = codec {
            codecs = try list.split(separator: ",").map { name in
                guard let codec = Codec(encodingName: String(name)) else {
                    let known = Codec.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ValidationError("--codec: there is no “\(name)”; known are \(known)")
                }
                return codec
            }
            if !codecs.contains(where: { $0.kind == .audio }) { codecs.append(.opus) }
        }
        for (flag, path) in [("--record", record), ("--record-local", recordLocal)] {
            guard let path else { continue }
            guard let container = Container(path: path) else {
                throw ValidationError("\(flag): the file must end in .mkv, .mp4 or .webm, not “\(path)”")
            }
            codecs.removeAll { !container.codecs.contains($0) }
            if !codecs.contains(where: { $0.kind == .video }) {
                throw ValidationError("\(flag): a .\(container) file holds none of the codecs asked for")
            }
        }
        return codecs
    }

    var opensWindow: Bool { !headless && hasDisplay }

    private var hasDisplay: Bool { Display.isAvailable(in: environment) }

    /// Reserves the recordings.
    ///
    /// - Throws: `MediaFailure.recording`, or `ValidationError`.
    func media(_ installation: Installation) throws -> MediaConfiguration {
        var configuration = MediaConfiguration(
            source: SourceChoice(source),
            testVideo: installation.testVideo,
            library: installation.library
        )
        configuration.codecs = try codecs()
        configuration.recording = try recordingFile(record)
        do {
            configuration.localRecording = try recordingFile(recordLocal)
        } catch {
            configuration.recording?.removeIfEmpty()
            throw error
        }
        return configuration
    }

    private func recordingFile(_ path: String?) throws -> RecordingFile? {
        guard let path, let container = Container(path: path) else { return nil }
        return try RecordingFile(path: path, container: container, overwrite: overwrite)
    }

    func signaling(url: String) -> SignalingConfiguration {
        var configuration = SignalingConfiguration(serverURL: url)
        configuration.token = value(token, "TOKEN")
        configuration.caCertificate = caCertificate
        configuration.insecure = insecure
        configuration.serverTimeout = serverTimeout.duration
        return configuration
    }
}
