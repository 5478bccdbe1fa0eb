internal import CallCore
internal import CallMedia

extension CallRequest {
    static func source(_ text: String) throws -> SourceChoice {
        let choice = SourceChoice(text)
        if case .url(let url) = choice {
            let scheme = url.split(separator: ":").first.map { $0.lowercased() } ?? ""
            guard SourceChoice.schemes.contains(scheme) else {
                let known = SourceChoice.schemes.map { "\($0)://" }.joined(separator: ", ")
                throw SettingText.Problem("\(scheme):// is no address that can be sent; known are \(known)")
            }
            let host = url[url.index(url.startIndex, offsetBy: scheme.count + 3)...]
            guard let first = host.first, first != "/", !url.contains(where: \.isWhitespace) else {
                throw SettingText.Problem("“\(text)” is no address; write \(scheme)://HOST/PATH")
            }
        }
        guard !text.isEmpty, text != "camera:" else {
            throw SettingText.Problem(
                "“\(text)” is no source; give auto, test, camera, camera:DEVICE, screen, pattern, none, a file "
                    + "or an address"
            )
        }
        return choice
    }

    /// How the source is to be opened.
    ///
    /// - Throws: `Failure` with exit code 64, also for what this source does not know.
    static func sourceSettings(
        _ flags: MediaFlags,
        _ settings: Settings,
        for source: SourceChoice
    ) throws(Failure) -> SourceSettings {
        var result = SourceSettings()
        result.size = try settings.value(.size, flags.size) { text in
            guard let size = PictureSize(text) else {
                throw SettingText.Problem(
                    "“\(text)” is no picture size; write two even numbers, as in 1280x720"
                )
            }
            return size
        }
        result.rate = try settings.value(.fps, flags.fps, SettingText.number(in: 1...240))
        result.start = try settings.required(.start, flags.start, SettingText.duration)
        result.isPlayedOnce = try settings.isOn(.once, flags.once)
        if source == .screen, settings.environment["DISPLAY"]?.isEmpty ?? true {
            throw .usage(
                "--source screen needs an X11 display, and there is none",
                hint: "set DISPLAY, or choose another --source"
            )
        }
        return result
    }

    /// The codecs that flags and recordings leave, best first.
    ///
    /// - Throws: `Failure` with exit code 64 where no codec for pictures is left.
    static func codecs(
        _ flags: MediaFlags,
        _ settings: Settings,
        _ recordings: [Destination]
    ) throws(Failure) -> [Codec] {
        let wanted = try settings.value(.codec, flags.codec, codecs) ?? Codec.allCases
        let left = wanted.filter { codec in recordings.allSatisfy { $0.container.codecs.contains(codec) } }
        guard left.contains(where: { $0.kind == .video }) else {
            let files = recordings.map { ".\($0.container)" }.joined(separator: " and ")
            throw .usage(
                "no codec is left: \(files) cannot hold \(wanted.map(\.rawValue).joined(separator: ", "))",
                hint: "record to .mkv, which takes every codec, or leave --codec out"
            )
        }
        return left
    }

    private static func codecs(_ text: String) throws -> [Codec] {
        var codecs: [Codec] = []
        for name in text.split(separator: ",") {
            guard let codec = Codec(encodingName: name.trimmingWhitespace) else {
                let known = Codec.allCases.map(\.rawValue).joined(separator: ", ")
                throw SettingText.Problem("there is no codec “\(name)”; known are \(known)")
            }
            if !codecs.contains(codec) { codecs.append(codec) }
        }
        guard codecs.contains(where: { $0.kind == .video }) else {
            throw SettingText.Problem("“\(text)” names no codec for pictures; add H264 or VP8")
        }
        // Sound has but one codec, so that a list of others says nothing about it.
        return codecs.contains(.opus) ? codecs : codecs + [.opus]
    }

    /// What the media half is told; takes the recordings' places on disk.
    ///
    /// - Throws: `MediaFailure.recording`.
    func media(_ installation: Installation) throws -> MediaConfiguration {
        var configuration = MediaConfiguration(
            source: source,
            testVideo: installation.testVideo,
            library: installation.library
        )
        configuration.sourceSettings = sourceSettings
        configuration.sound = sound
        configuration.codecs = codecs
        configuration.prefersReadyCodecs = !namesCodecs
        if let bitrates { configuration.startBitrate = bitrates.start }
        configuration.iceServers = iceServers
        configuration.relayOnly = isRelayOnly
        configuration.recording = try recording?.reserve(overwrites: overwrites)
        do {
            configuration.localRecording = try localRecording?.reserve(overwrites: overwrites)
        } catch {
            configuration.discardUnusedRecordings()
            throw error
        }
        return configuration
    }
}

extension Substring {
    fileprivate var trimmingWhitespace: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
