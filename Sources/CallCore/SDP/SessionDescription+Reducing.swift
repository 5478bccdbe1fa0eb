extension SessionDescription {
    private static let maximumVariants = 16
    /// The formats that are useless on their own.
    private static let companions: Set = ["rtx", "red", "ulpfec", "flexfec-03", "cn", "telephone-event"]

    /// Creates smaller forms of an offer, for a server that accepts no large messages.
    ///
    /// Each has fewer codecs than the one before, and the last has no retransmission. An answer to any of
    /// them also answers the complete offer, as it selects from what both contain.
    package static func reducedOffers(of sdp: String) -> [String] {
        guard let sections = (try? SessionDescription(parsing: sdp))?.media else { return [] }
        let most = sections.map { codecs(of: $0).count }.max() ?? 0
        let limits = (1..<max(most, 1)).reversed().suffix(maximumVariants)
        var variants: [String] = []
        for (limit, hasCompanions) in limits.map({ ($0, true) }) + [(1, true), (1, false)] {
            let variant = reduced(sdp, sections, codecs: limit, companions: hasCompanions)
            if variant.utf8.count < (variants.last ?? sdp).utf8.count { variants.append(variant) }
        }
        return variants
    }

    private static func codecs(of section: MediaSection) -> [PayloadFormat] {
        section.codecs.filter { !companions.contains($0.name.lowercased()) }
    }

    private static func reduced(
        _ sdp: String,
        _ sections: [MediaSection],
        codecs limit: Int,
        companions hasCompanions: Bool
    ) -> String {
        var index = -1
        var kept: Set<String> = []
        var isReduced = false
        let secondaries = hasCompanions ? [] : retransmissionSources(in: sdp)
        let lines = lines(of: sdp).compactMap { line -> String? in
            if line.hasPrefix("m=") {
                index += 1
                guard sections.indices.contains(index) else { return String(line) }
                isReduced = sections[index].kind == .audio || sections[index].kind == .video
                guard isReduced else { return String(line) }
                kept = payloadTypes(of: sections[index], codecs: limit, companions: hasCompanions)
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
        codecs limit: Int,
        companions hasCompanions: Bool
    ) -> Set<String> {
        let chosen = codecs(of: section).prefix(limit).map { "\($0.payloadType)" }
        guard hasCompanions else { return Set(chosen) }
        let companions = section.codecs.filter { format in
            guard Self.companions.contains(format.name.lowercased()) else { return false }
            return format.parameters["apt"].map(chosen.contains) ?? true
        }
        return Set(chosen + companions.map { "\($0.payloadType)" })
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
