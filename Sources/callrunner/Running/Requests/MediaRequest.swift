internal import Basics
internal import CallCore
internal import CallMedia
internal import FoundationEssentials
internal import GLibKit
internal import LiveMedia
internal import MediaKit

/// The media options of a call, from flags, environment and configuration file.
struct MediaRequest {
    /// The folder of the pipeline templates; nil for the installed one.
    let pipelines: String?
    let source: SourceChoice
    let sourceSettings: SourceSettings
    /// The kinds and directions of media that the call carries.
    let scope: MediaScope
    let audio: AudioSettings
    /// The codecs of the call, in order of preference; the recordings can store all of them.
    let codecs: [Codec]
    /// Whether the user chose the codecs with `--codec` or a setting.
    let namesCodecs: Bool
    let bitrates: Bitrates?
    let decodingLimit: DecodingLimit
    let iceServers: [ICEServer]
    let isRelayOnly: Bool
    let icePorts: ClosedRange<Int>?
    let addressRule: LocalAddressRule
    let hasRedundancy: Bool
    /// The certificate authorities trusted for TURN over TLS.
    let turnAuthorities: TLSAuthorities
    /// The user's folders for videos and pictures.
    let folders: UserFolders

    /// Reads and checks the flags and settings; the containers of `recordings` limit the codecs.
    ///
    /// - Throws: `Failure` with exit code 64.
    init(
        _ flags: MediaFlags,
        _ audioFlags: AudioFlags,
        _ network: NetworkFlags,
        trust: TrustFlags,
        recordings: [Destination] = [],
        _ settings: Settings
    ) throws(Failure) {
        pipelines = try settings.text(.pipelines, flags.pipelines)
        scope = try Self.scope(flags, settings)
        audio = try Self.audio(audioFlags, settings, in: scope)
        source = try Self.source(flags, settings, in: scope, beside: audio)
        sourceSettings = try Self.sourceSettings(flags.input, settings, for: source)
        codecs = try Self.codecs(flags, settings, recordings, in: scope)
        namesCodecs = settings.entry(.codec, [flags.codec].compactMap(\.self)) != nil
        bitrates = try settings.value(.bitrate, flags.bitrate, Bitrates.init)
        decodingLimit = try settings.required(.maxResolution, flags.maxResolution, Self.decodingLimit)
        iceServers =
            try settings.list(.stun, network.stun, ICEServerText.stun)
            + settings.list(.turn, network.turn, ICEServerText.turn)
        isRelayOnly = try settings.isOn(.relayOnly, network.relayOnly)
        icePorts = try settings.value(.icePorts, network.icePorts, PathText.ports)
        addressRule = try Self.addressRule(network, settings)
        hasRedundancy = try settings.isOn(.fec, network.fec)
        turnAuthorities = try trust.authorities(settings)
        folders = UserFolders(environment: settings.environment)
    }

    /// Creates the configuration of a media service; `names` fill the placeholders in file names.
    func configuration(
        _ installation: Installation,
        _ names: [NameTemplate.Placeholder: String]
    ) -> MediaConfiguration {
        var configuration = MediaConfiguration(
            source: source,
            testVideo: installation.testVideo,
            library: installation.library
        )
        configuration.webMedia = WebMediaLoader()
        configuration.loader = LoaderCommand.command(installation)
        configuration.sourceSettings = sourceSettings
        configuration.audio = audio
        configuration.codecs = codecs
        configuration.scope = scope
        configuration.prefersReadyCodecs = !namesCodecs
        if let bitrates {
            configuration.startBitrate = bitrates.start
            configuration.bitrates = bitrates.minimum...bitrates.maximum
        }
        configuration.decodingLimit = decodingLimit
        configuration.iceServers = iceServers
        configuration.relayOnly = isRelayOnly
        configuration.turnAuthorities = turnAuthorities
        configuration.icePorts = icePorts
        configuration.addressRule = addressRule
        if hasRedundancy { configuration.redundancyPercent = 20 }
        configuration.outputFolders = OutputFolders(
            videos: folders.path(.videos),
            pictures: folders.path(.pictures),
            names: names
        )
        return configuration
    }
}

// MARK: - Scope

extension MediaRequest {
    /// Reads the kinds and directions of the call's media.
    ///
    /// - Throws: `Failure` with exit code 64, also for flags that contradict each other.
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
        default:
            let question = Suggestion.question(text, among: ["audio", "video", "both"])
            throw SettingText.Problem("“\(text)” is not a media kind; give audio, video or both\(question)")
        }
    }

    /// Reads the source; none if the call only receives.
    ///
    /// - Throws: `Failure` with exit code 64, also for flags that contradict each other.
    static func source(
        _ flags: MediaFlags,
        _ settings: Settings,
        in scope: MediaScope,
        beside audio: AudioSettings
    ) throws(Failure) -> SourceChoice {
        let source = try settings.required(.source, flags.input.source, source)
        guard scope.sends else {
            guard flags.input.source == nil || source == .none else {
                throw .usage(
                    "--recvonly sends nothing, so --source has no effect",
                    hint: "remove one of the two flags"
                )
            }
            return .none
        }
        let speaks = audio.microphone != .automatic && audio.microphone != .none
        guard scope.receives || source != .none || speaks else {
            throw .usage(
                "--sendonly with --source none sends and receives nothing",
                hint: "remove one of the two flags"
            )
        }
        return source
    }

    /// Checks that the call has the media that the recordings and the snapshot need.
    ///
    /// - Throws: `Failure` with exit code 64.
    static func check(_ recording: RecordingRequest, in scope: MediaScope) throws(Failure) {
        if recording.remote != nil, !scope.receives {
            throw .usage(
                "--sendonly receives no media that --record could record",
                hint: "use --record-local"
            )
        }
        if recording.local != nil, !scope.sends {
            throw .usage("--recvonly sends no media that --record-local could record", hint: "use --record")
        }
        if recording.both != nil, !scope.receives || !scope.sends {
            throw .usage(
                "--record-both needs both directions, and this call has one",
                hint: scope.sends ? "use --record-local" : "use --record"
            )
        }
        if recording.snapshot != nil, !scope.receives {
            throw .usage("--sendonly receives no video for --snapshot", hint: "remove one of the two flags")
        }
        if recording.snapshot != nil, !scope.kinds.contains(.video) {
            throw .usage("--media audio has no video for --snapshot", hint: "remove one of the two flags")
        }
    }
}

// MARK: - Audio

extension MediaRequest {
    /// Reads the settings for the capture and playback of audio.
    ///
    /// - Throws: `Failure` with exit code 64.
    static func audio(
        _ flags: AudioFlags,
        _ settings: Settings,
        in scope: MediaScope
    ) throws(Failure) -> AudioSettings {
        var audio = AudioSettings()
        audio.microphone = try settings.value(.microphone, flags.microphone, choice) ?? .automatic
        audio.speaker = try settings.value(.speaker, flags.speaker, choice) ?? .automatic
        try check(flags, audio, in: scope)
        audio.volume = try settings.required(.volume, flags.volume) { text in
            let number = text.hasSuffix("%") ? String(text.dropLast()) : text
            return try SettingText.number(in: PlaybackVolume.range)(number)
        }
        audio.processing = try settings.value(.audioProcessing, flags.audioProcessing, processing)
        audio.capture = SoundCard.system(.capture, settings.environment)
        audio.playback = SoundCard.system(.playback, settings.environment)
        return audio
    }

    /// Checks that the call uses the microphone and the loudspeaker that are given as flags.
    ///
    /// - Throws: `Failure` with exit code 64.
    private static func check(
        _ flags: AudioFlags,
        _ audio: AudioSettings,
        in scope: MediaScope
    ) throws(Failure) {
        let hasAudio = scope.kinds.contains(.audio)
        if flags.microphone != nil, audio.microphone != .none, !hasAudio || !scope.sends {
            throw .usage(
                "\(hasAudio ? "--recvonly" : "--media video") sends no audio that --microphone could capture",
                hint: "remove one of the two flags"
            )
        }
        if flags.speaker != nil, audio.speaker != .none, !hasAudio || !scope.receives {
            throw .usage(
                "\(hasAudio ? "--sendonly" : "--media video") receives no audio that --speaker could play",
                hint: "remove one of the two flags"
            )
        }
    }

    private static func choice(_ text: String) throws -> AudioSettings.Choice {
        guard !text.isEmpty else {
            throw SettingText.Problem("the name of the device is empty; give default, none or a name")
        }
        return AudioSettings.Choice(text)
    }

    private static func processing(_ text: String) throws -> Set<VoiceProcessing> {
        guard text != "none" else { return [] }
        return try Set(
            text.split(separator: ",", omittingEmptySubsequences: false).map { name in
                guard let processing = VoiceProcessing(rawValue: String(name)) else {
                    throw SettingText.Problem(
                        "“\(name)” is not a kind of audio processing; give echo, noise or gain, several separated by commas, or none"
                    )
                }
                return processing
            }
        )
    }
}

// MARK: - Source

extension MediaRequest {
    static func source(_ text: String) throws -> SourceChoice {
        let choice = SourceChoice(text)
        if case .url(let url) = choice {
            let scheme = url.split(separator: ":").first.map { $0.lowercased() } ?? ""
            guard SourceChoice.schemes.contains(scheme) else {
                let known = SourceChoice.schemes.map { "\($0)://" }.joined(separator: ", ")
                throw SettingText.Problem("\(scheme):// is not supported as a source; supported are \(known)")
            }
            let host = url[url.index(url.startIndex, offsetBy: scheme.count + 3)...]
            guard let first = host.first, first != "/", !url.contains(where: \.isWhitespace) else {
                throw SettingText.Problem("“\(text)” is not an address; write \(scheme)://HOST/PATH")
            }
        }
        guard !text.isEmpty, text != "camera:" else {
            throw SettingText.Problem(
                "“\(text)” is not a source; give auto, test, camera, camera:DEVICE, screen, pattern, none, a file "
                    + "or an address"
            )
        }
        return choice
    }

    /// Reads the settings with which the source is opened.
    ///
    /// - Throws: `Failure` with exit code 64, also for a screen source without an X11 display.
    static func sourceSettings(
        _ flags: SourceFlags,
        _ settings: Settings,
        for source: SourceChoice
    ) throws(Failure) -> SourceSettings {
        var result = SourceSettings()
        result.size = try settings.value(.size, flags.size) { text in
            guard let size = Resolution(text) else {
                throw SettingText.Problem(
                    "“\(text)” is not a resolution; write two even numbers, as in 1280x720"
                )
            }
            return size
        }
        result.rate = try settings.value(.fps, flags.fps, SettingText.number(in: 1...240))
        result.start = try settings.required(.start, flags.start, SettingText.duration)
        result.isPlayedOnce = try settings.isOn(.once, flags.once)
        if source == .screen, settings.environment["DISPLAY"]?.isEmpty ?? true {
            throw .usage(
                "--source screen needs an X11 display, and none is available",
                hint: "set DISPLAY, or choose another --source"
            )
        }
        return result
    }

    /// Selects the codecs that the flags and the recordings allow, in order of preference.
    ///
    /// - Throws: `Failure` with exit code 64 if no codec is left for a kind of media that the call carries.
    static func codecs(
        _ flags: MediaFlags,
        _ settings: Settings,
        _ recordings: [Destination],
        in scope: MediaScope
    ) throws(Failure) -> [Codec] {
        let wanted = try settings.value(.codec, flags.codec, codecs) ?? Codec.allCases
        let left = wanted.filter { codec in recordings.allSatisfy { $0.container.codecs.contains(codec) } }
        for kind in [MediaKind.video, .audio] where scope.kinds.contains(kind) {
            guard !left.contains(where: { $0.kind == kind }) else { continue }
            let files = recordings.map { ".\($0.container)" }.joined(separator: " and ")
            let names = wanted.filter { $0.kind == kind }.map(\.rawValue).joined(separator: ", ")
            let stores = recordings.count > 1 ? "can be stored in each of" : "can be stored in"
            throw .usage(
                "no \(kind) codec remains: none of \(names) \(stores) \(files)",
                hint: "record only to .mkv, which takes every codec"
                    + (wanted == Codec.allCases ? "" : ", or leave --codec out")
            )
        }
        return left
    }

    /// Parses the maximum resolution of decoded video.
    static func decodingLimit(_ text: String) throws -> DecodingLimit {
        let sides = text.lowercased().split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1],
            DecodingLimit.sides.contains(width), DecodingLimit.sides.contains(height)
        else {
            let (minimum, maximum) = (DecodingLimit.sides.lowerBound, DecodingLimit.sides.upperBound)
            throw SettingText.Problem(
                "“\(text)” is not a resolution; write two numbers from \(minimum) to \(maximum), as in 4096x2304"
            )
        }
        return DecodingLimit(Resolution(width: width, height: height))
    }

    private static func nearestCodec(to name: Substring) -> String {
        Suggestion.question(String(name), among: Codec.allCases.map(\.rawValue))
    }

    private static func codecs(_ text: String) throws -> [Codec] {
        var codecs: [Codec] = []
        for name in text.split(separator: ",") {
            guard let codec = Codec(encodingName: name.trimmingWhitespace) else {
                throw SettingText.Problem(
                    "there is no codec “\(name)”; the codecs are \(Codec.names)\(nearestCodec(to: name))"
                )
            }
            if !codecs.contains(codec) { codecs.append(codec) }
        }
        guard !codecs.isEmpty else {
            throw SettingText.Problem("“\(text)” names no codec; the codecs are \(Codec.names)")
        }
        // A list without a video codec keeps all video codecs, and a list without an audio codec all audio
        // codecs.
        let others = Codec.allCases.filter { other in !codecs.contains { $0.kind == other.kind } }
        return codecs + others
    }

    static func addressRule(
        _ flags: NetworkFlags,
        _ settings: Settings
    ) throws(Failure) -> LocalAddressRule {
        let family: LocalAddressRule.Family? =
            switch try settings.choice(.ipv4, flags.ipv4, .ipv6, flags.ipv6) {
            case .ipv4?: .ipv4
            case .ipv6?: .ipv6
            default: nil
            }
        let interface = try settings.value(.interface, flags.interface, PathText.interface)
        return LocalAddressRule(interface: interface, family: family)
    }
}

extension Codec {
    /// The names of all codecs as a comma-separated list.
    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

extension Substring {
    fileprivate var trimmingWhitespace: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
