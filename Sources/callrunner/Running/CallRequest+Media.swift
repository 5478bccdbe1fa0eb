internal import CallCore
internal import CallFlow
internal import CallMedia
internal import FoundationEssentials

extension CallRequest {
    static func source(_ text: String) throws -> SourceChoice {
        let isURL = text.contains("://")
        guard text != "screen", !isURL, !text.isEmpty, text != "camera:" else {
            let what = isURL ? "a URL" : "“\(text)”"
            throw SettingText.Problem(
                "\(what) is no source; give auto, test, camera, camera:DEVICE, pattern, none or a file"
            )
        }
        return SourceChoice(text)
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

    /// What the media half of call `number`, from 1, is told; takes the recordings' places on disk.
    ///
    /// - Throws: `MediaFailure.recording`.
    func media(_ installation: Installation, call number: Int = 1) throws -> MediaConfiguration {
        var configuration = MediaConfiguration(
            source: source,
            testVideo: installation.testVideo,
            library: installation.library
        )
        configuration.codecs = codecs
        configuration.prefersReadyCodecs = !namesCodecs
        if let bitrates { configuration.startBitrate = bitrates.start }
        configuration.iceServers = iceServers
        configuration.relayOnly = isRelayOnly
        let identity = plan(call: number).identity
        try recording.reserve(
            in: &configuration,
            [
                .room: "\(identity.room)", .name: identity.username.value, .call: "\(number)",
                .time: NameTemplate.stamp(of: .now),
            ]
        )
        return configuration
    }
}

extension Substring {
    fileprivate var trimmingWhitespace: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
