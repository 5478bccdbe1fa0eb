/// The parts of a session description that this program reads (RFC 8866, RFC 8829).
///
/// Parsing never traps, even on hostile text.
package struct SessionDescription: Hashable, Sendable {
    /// The maximum length in bytes of UTF-8.
    package static let maximumLength = 256 * 1024
    package static let maximumSections = 64

    /// The `sess-version` of the `o=` line, which increases with each changed description that is sent.
    package internal(set) var originVersion: UInt64 = 0
    /// The `ice-ufrag` at session level.
    package internal(set) var sessionUfrag: String?
    /// The interval that the sender proposes between connectivity checks, in milliseconds (RFC 8839 §5.8).
    package internal(set) var icePacing: Int?
    package internal(set) var media: [MediaSection] = []
    /// The candidate lines of all sections, without their `a=` (RFC 8839 §5.1); further lines are dropped
    /// after `AttemptStateMachine.maximumCandidates`.
    var candidates: [String] = []
    /// The fingerprints at session level.
    var fingerprints = FingerprintLines()

    /// Parses a session description.
    ///
    /// - Throws: `SessionDescriptionError` for text that is too long, has too many sections or is malformed.
    package init(parsing text: String) throws(SessionDescriptionError) {
        var reader = SessionDescriptionReader()
        self = try reader.read(text)
    }

    init() {}

    /// The `ice-ufrag` of the first section that has one, else of the session; it identifies the description.
    package var iceUfrag: String? {
        media.lazy.compactMap(\.iceUfrag).first ?? sessionUfrag
    }

    /// All `ice-ufrag` values; sections that are not bundled may have different ones.
    package var iceUfrags: Set<String> {
        Set(media.compactMap(\.iceUfrag) + [sessionUfrag].compactMap(\.self))
    }

    /// Whether there are accepted audio or video sections and all of them are inactive, so that nothing flows
    /// in either direction.
    var carriesNothing: Bool {
        let accepted = media.filter { ($0.kind == .audio || $0.kind == .video) && !$0.isRejected }
        return !accepted.isEmpty && accepted.allSatisfy { $0.direction == .inactive }
    }

    package func mid(at index: Int) -> String? {
        media.indices.contains(index) ? media[index].mid : nil
    }

    package func index(ofMid mid: String) -> Int? {
        media.firstIndex { $0.mid == mid }
    }
}

/// The reason why a text is not a usable session description.
package enum SessionDescriptionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is too long; the value is its length in bytes.
    case tooLong(Int)
    case tooManySections
    /// The line with this number, counted from one, is malformed; `text` is its beginning.
    case malformedLine(Int, text: String)
    /// The description has no fingerprint of the peer's certificate.
    case noFingerprint
    /// The fingerprints use only these hash functions, which are unknown or too weak.
    case unusableFingerprints([String])

    package var description: String {
        switch self {
        case .tooLong(let bytes):
            "the session description has \(bytes) bytes, at most \(SessionDescription.maximumLength) are allowed"
        case .tooManySections:
            "the session description has more than \(SessionDescription.maximumSections) m= lines"
        case .malformedLine(let number, let text):
            "line \(number) of the session description is malformed: “\(text)”"
        case .noFingerprint: "the session description has no certificate fingerprint (a=fingerprint)"
        case .unusableFingerprints(let names):
            "all fingerprints of the session description use \(names.joined(separator: ", ")), "
                + "and SHA-256 is the minimum"
        }
    }
}

// MARK: - Lines

extension SessionDescription {
    /// Splits a text into lines as GStreamer's parser does: at CR, LF or CRLF (RFC 8866 §5 requires CRLF).
    ///
    /// All code must use this function. Otherwise, a line that one parser reads could be hidden from another.
    package static func lines(of text: String) -> [Substring] {
        let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        var lines: [Substring] = []
        // "\r\n" is a single Character, so lines are split in the UTF-8 view.
        var rest = text.utf8[...]
        while let end = rest.firstIndex(where: { $0 == lineFeed || $0 == carriageReturn }) {
            lines.append(Substring(rest[..<end]))
            let isPair = rest[end] == carriageReturn && rest[end...].dropFirst().first == lineFeed
            rest = rest[end...].dropFirst(isPair ? 2 : 1)
        }
        return lines + [Substring(rest)]
    }
}

// MARK: - Reducing

extension SessionDescription {
    private static let maximumVariants = 16
    /// The names of formats that are useless without another codec.
    private static let companions: Set = ["rtx", "red", "ulpfec", "flexfec-03", "cn", "telephone-event"]

    /// Creates smaller variants of an offer, for a server that rejects large messages.
    ///
    /// Each variant is shorter than the previous one: first, codecs are removed until each section has one,
    /// then retransmission, error correction and the like; at last, each section has the codec with the shortest
    /// description. An answer to a variant is also valid for the
    /// complete offer, because the offer contains all formats of the variant.
    ///
    /// - Returns: the variants; none if the text is not a session description or cannot be shortened.
    package static func reducedOffers(of sdp: String) -> [String] {
        guard let sections = (try? SessionDescription(parsing: sdp))?.media else { return [] }
        let maximum = sections.map { codecs(of: $0).count }.max() ?? 0
        let limits = (1..<max(maximum, 1)).reversed().suffix(maximumVariants)
        var variants: [String] = []
        let choices = limits.map { Choice.first($0, hasCompanions: true) }
        for choice in choices + [.first(1, hasCompanions: true), .first(1, hasCompanions: false), .shortest] {
            let variant = reduced(sdp, sections, to: choice)
            if variant.utf8.count < (variants.last ?? sdp).utf8.count { variants.append(variant) }
        }
        return variants
    }

    /// The formats that a section of a variant has.
    private enum Choice {
        /// The first codecs, up to a number of them.
        case first(Int, hasCompanions: Bool)
        /// The codec with the shortest description.
        case shortest

        var hasCompanions: Bool {
            if case .first(_, let hasCompanions) = self { hasCompanions } else { false }
        }
    }

    private static func codecs(of section: MediaSection) -> [PayloadFormat] {
        section.codecs.filter { !companions.contains($0.name.lowercased()) }
    }

    private static func reduced(
        _ sdp: String,
        _ sections: [MediaSection],
        to choice: Choice
    ) -> String {
        var index = -1
        var kept: Set<String> = []
        var isReduced = false
        let hasCompanions = choice.hasCompanions
        let secondaries = hasCompanions ? [] : retransmissionSources(in: sdp)
        let lengths = descriptionLengths(in: sdp)
        let lines = lines(of: sdp).compactMap { line -> String? in
            if line.hasPrefix("m=") {
                index += 1
                guard sections.indices.contains(index) else { return String(line) }
                isReduced = sections[index].kind == .audio || sections[index].kind == .video
                guard isReduced else { return String(line) }
                kept = payloadTypes(of: sections[index], choice, lengths)
                let fields = line.split(separator: " ")
                return (fields.prefix(3) + fields.dropFirst(3).filter { kept.contains(String($0)) })
                    .joined(separator: " ")
            }
            guard isReduced else { return String(line) }
            if let type = payloadType(of: line), !kept.contains(type) { return nil }
            if !hasCompanions && line.hasPrefix("a=ssrc-group:FID") { return nil }
            if let source = source(of: line), secondaries.contains(source) { return nil }
            return String(line)
        }
        return lines.joined(separator: "\r\n")
    }

    private static func payloadTypes(
        of section: MediaSection,
        _ choice: Choice,
        _ lengths: [String: Int]
    ) -> Set<String> {
        let all = codecs(of: section).map { "\($0.payloadType)" }
        let chosen: [String]
        switch choice {
        case .first(let limit, true): chosen = Array(all.prefix(limit))
        case .first(let limit, false): return Set(all.prefix(limit))
        case .shortest:
            return Set(all.min { lengths[$0, default: 0] < lengths[$1, default: 0] }.map { [$0] } ?? [])
        }
        let companions = section.codecs.filter { format in
            guard Self.companions.contains(format.name.lowercased()) else { return false }
            return format.parameters["apt"].map(chosen.contains) ?? true
        }
        return Set(chosen + companions.map { "\($0.payloadType)" })
    }

    /// Returns the number of bytes in the lines about each payload type.
    private static func descriptionLengths(in sdp: String) -> [String: Int] {
        lines(of: sdp).reduce(into: [:]) { lengths, line in
            if let type = payloadType(of: line) { lengths[type, default: 0] += line.utf8.count }
        }
    }

    /// Extracts the payload type of an `a=rtpmap`, `a=fmtp` or `a=rtcp-fb` line.
    private static func payloadType(of line: Substring) -> String? {
        for name in ["a=rtpmap:", "a=fmtp:", "a=rtcp-fb:"] where line.hasPrefix(name) {
            let type = line.dropFirst(name.count).prefix { $0 != " " }
            return type == "*" ? nil : String(type)
        }
        return nil
    }

    /// Extracts the SSRC of an `a=ssrc` line.
    private static func source(of line: Substring) -> Substring? {
        line.hasPrefix("a=ssrc:") ? line.dropFirst(7).prefix { $0 != " " } : nil
    }

    private static func retransmissionSources(in sdp: String) -> Set<Substring> {
        Set(
            lines(of: sdp).filter { $0.hasPrefix("a=ssrc-group:FID") }
                .flatMap { $0.split(separator: " ").dropFirst(2) }
        )
    }
}
