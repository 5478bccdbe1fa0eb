internal import Basics

/// A reader that parses a session description line by line and skips unknown content.
struct SessionDescriptionReader {
    private static let maximumParameters = 64
    private static let maximumFeedback = 32
    private static let maximumExtensions = 255
    /// The maximum length of an `ice-ufrag` (RFC 8839).
    private static let maximumUfragLength = 256

    private var description = SessionDescription()
    private var sessionDirection = MediaSection.Direction.sendrecv
    /// Whether a direction and an `ice-ufrag` were found since the last `m=` line or, before the first one, since the
    /// beginning; further ones are ignored.
    private var hasDirection = false
    private var hasUfrag = false

    mutating func read(_ text: String) throws(SessionDescriptionError) -> SessionDescription {
        let length = text.utf8.count
        guard length <= SessionDescription.maximumLength else { throw .tooLong(length) }

        var number = 0
        for line in SessionDescription.lines(of: text.streamSafe) {
            number += 1
            if line.isEmpty && number > 1 { continue }
            guard parse(line, number: number) else {
                throw .malformedLine(number, text: line.printable(limit: 60))
            }
            guard description.media.count <= SessionDescription.maximumSections else {
                throw .tooManySections
            }
        }
        return description
    }

    private mutating func parse(_ line: Substring, number: Int) -> Bool {
        if number == 1 { return line.protocolWord == "v=0" }
        let bytes = line.utf8
        // A parser written in C would treat a zero byte as the end of the text.
        if bytes.contains(0) { return false }
        guard let type = bytes.first, bytes.dropFirst().first == UInt8(ascii: "=") else { return false }
        let value = Substring(bytes.dropFirst(2))
        switch type {
        case UInt8(ascii: "o"): return parseOrigin(value)
        case UInt8(ascii: "m"): return parseMedia(value)
        case UInt8(ascii: "a"): return parseAttribute(value)
        default: break
        }
        return true
    }

    private mutating func parseOrigin(_ value: Substring) -> Bool {
        let fields = value.split(separator: " ", maxSplits: 5)
        guard fields.count == 6, let version = UInt64(fields[2]) else { return false }
        description.originVersion = version
        return true
    }

    private mutating func parseMedia(_ value: Substring) -> Bool {
        let fields = value.split(separator: " ", maxSplits: 256)
        guard fields.count >= 4, let port = Int(fields[1].prefix { $0 != "/" }), (0...65535).contains(port)
        else { return false }
        let kind: MediaSection.Kind =
            switch fields[0].protocolWord {
            case "audio": .audio
            case "video": .video
            case "application": .application
            default: .other(String(fields[0]))
            }
        var section = MediaSection(kind: kind, port: port)
        section.direction = sessionDirection
        (hasDirection, hasUfrag) = (false, false)
        if kind != .application {
            var seen: Set<Int> = []
            section.codecs = fields[3...].compactMap { field in
                guard let type = Self.payloadType(field), seen.insert(type).inserted else { return nil }
                return PayloadFormat.assigned(type)
            }
        }
        description.media.append(section)
        return true
    }

    /// Parses an attribute.
    ///
    /// - Returns: false for a malformed attribute that must not be skipped.
    private mutating func parseAttribute(_ attribute: Substring) -> Bool {
        let parts = attribute.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = (parts.first ?? "").protocolWord
        let value = parts.count > 1 ? parts[1] : ""
        if let direction = MediaSection.Direction(rawValue: String(name)) {
            guard !hasDirection else { return true }
            hasDirection = true
            set(\.direction, to: direction, atSessionLevel: { $0.sessionDirection = direction })
            return true
        }
        switch name {
        case "ice-ufrag":
            guard !hasUfrag else { return true }
            hasUfrag = true
            guard !value.isEmpty, value.utf8.count <= Self.maximumUfragLength else { return true }
            let ufrag = String(value)
            set(\.iceUfrag, to: ufrag, atSessionLevel: { $0.description.sessionUfrag = ufrag })
        case "ice-pacing": parsePacing(value)
        case "candidate":
            if description.candidates.count < AttemptStateMachine.maximumCandidates {
                description.candidates.append(String(attribute))
            }
        case "mid": set(\.mid, to: String(value))
        case "bundle-only": set(\.isBundleOnly, to: true)
        case "rtpmap": parseRTPMap(value)
        case "fmtp": parseParameters(value)
        case "rtcp-fb": parseFeedback(value)
        case "extmap": parseExtension(value)
        case "fingerprint": return parseFingerprint(value)
        default: break
        }
        return true
    }

    /// Parses `a=ice-pacing`, which is valid at session level only.
    private mutating func parsePacing(_ value: Substring) {
        guard description.media.isEmpty, value.utf8.count <= 10, let pacing = Int(value), pacing >= 0 else {
            return
        }
        description.icePacing = pacing
    }

    private mutating func parseFingerprint(_ value: Substring) -> Bool {
        guard let section = description.media.indices.last else {
            return description.fingerprints.add(value)
        }
        return description.media[section].fingerprints.add(value)
    }

    /// Sets a property of the current section, or calls `atSessionLevel` before the first section.
    private mutating func set<Value>(
        _ property: WritableKeyPath<MediaSection, Value>,
        to value: Value,
        atSessionLevel: (inout Self) -> Void = { _ in }
    ) {
        guard let last = description.media.indices.last else { return atSessionLevel(&self) }
        description.media[last][keyPath: property] = value
    }

    private static func payloadType(_ text: Substring) -> Int? {
        guard let type = Int(text), (0...127).contains(type) else { return nil }
        return type
    }

    /// Changes the format of the payload type at the start of `value`; `change` receives the rest of `value`.
    private mutating func changeFormat(
        _ value: Substring,
        wildcard: Bool = false,
        _ change: (inout PayloadFormat, Substring) -> Void
    ) {
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let section = description.media.indices.last else { return }
        let isForAll = wildcard && parts[0] == "*"
        let payloadType = Self.payloadType(parts[0])
        for index in description.media[section].codecs.indices
        where isForAll || description.media[section].codecs[index].payloadType == payloadType {
            change(&description.media[section].codecs[index], parts[1])
        }
    }

    private mutating func parseRTPMap(_ value: Substring) {
        changeFormat(value) { format, rest in
            let parts = rest.split(separator: "/")
            guard parts.count >= 2, let rate = Int(parts[1]), (1...1_000_000).contains(rate) else { return }
            format.name = String(parts[0])
            format.clockRate = rate
            if parts.count > 2, let channels = Int(parts[2]), (1...255).contains(channels) {
                format.channels = channels
            }
        }
    }

    private mutating func parseParameters(_ value: Substring) {
        changeFormat(value) { format, rest in
            for parameter in rest.split(separator: ";", maxSplits: Self.maximumParameters) {
                let pair = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let key = Self.trimmed(pair.first ?? "").lowercased()
                guard !key.isEmpty, format.parameters.count < Self.maximumParameters else { continue }
                format.parameters[key] = pair.count > 1 ? String(Self.trimmed(pair[1])) : ""
            }
        }
    }

    private mutating func parseFeedback(_ value: Substring) {
        // All formats share one copy of the text, because a line with `*` may apply to hundreds of formats.
        let text = value.firstIndex(of: " ").map { String(Self.trimmed(value[$0...])) } ?? ""
        changeFormat(value, wildcard: true) { format, _ in
            guard format.feedback.count < Self.maximumFeedback else { return }
            format.feedback.append(text)
        }
    }

    private mutating func parseExtension(_ value: Substring) {
        let parts = value.split(separator: " ", maxSplits: 2)
        guard let section = description.media.indices.last, parts.count >= 2,
            // The ID may carry a direction, as in "3/recvonly".
            let id = Int(parts[0].prefix { $0 != "/" }), (1...255).contains(id),
            description.media[section].headerExtensions.count < Self.maximumExtensions
        else { return }
        description.media[section].headerExtensions.append(.init(id: id, uri: String(parts[1])))
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let head = text.drop(while: \.isWhitespace)
        guard let last = head.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return head[...last]
    }
}
