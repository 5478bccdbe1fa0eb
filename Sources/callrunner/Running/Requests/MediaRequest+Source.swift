internal import CallCore
internal import CallMedia
internal import FoundationEssentials

extension MediaRequest {
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

    /// Reads the settings with which the source is opened.
    ///
    /// - Throws: `Failure` with exit code 64, also for a screen source without an X11 display.
    static func sourceSettings(
        _ flags: MediaFlags,
        _ settings: Settings,
        for source: SourceChoice
    ) throws(Failure) -> SourceSettings {
        var result = SourceSettings()
        result.size = try settings.value(.size, flags.size) { text in
            guard let size = Resolution(text) else {
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

    /// Selects the codecs that the flags and the recordings allow, the best first.
    ///
    /// - Throws: `Failure` with exit code 64 if none is left for a kind of media that the call carries.
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
            throw .usage(
                "no codec is left: \(files) cannot hold \(names)",
                hint: "record to .mkv, which takes every codec, or leave --codec out"
            )
        }
        return left
    }

    /// Parses the largest resolution of video that is decoded.
    static func decodingLimit(_ text: String) throws -> DecodingLimit {
        let sides = text.lowercased().split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1],
            DecodingLimit.sides.contains(width), DecodingLimit.sides.contains(height)
        else {
            let (least, most) = (DecodingLimit.sides.lowerBound, DecodingLimit.sides.upperBound)
            throw SettingText.Problem(
                "“\(text)” is no resolution; write two numbers from \(least) to \(most), as in 4096x2304"
            )
        }
        return DecodingLimit(Resolution(width: width, height: height))
    }

    private static func codecs(_ text: String) throws -> [Codec] {
        var codecs: [Codec] = []
        for name in text.split(separator: ",") {
            guard let codec = Codec(encodingName: name.trimmingWhitespace) else {
                throw SettingText.Problem("there is no codec “\(name)”; known are \(Codec.names)")
            }
            if !codecs.contains(codec) { codecs.append(codec) }
        }
        guard !codecs.isEmpty else {
            throw SettingText.Problem("“\(text)” names no codec; known are \(Codec.names)")
        }
        // A list without a codec of some kind keeps all codecs of that kind.
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
    /// The names of all codecs, for people.
    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

extension Substring {
    fileprivate var trimmingWhitespace: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
