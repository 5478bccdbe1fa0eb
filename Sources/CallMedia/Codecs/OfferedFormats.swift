internal import CallCore
internal import MediaKit

/// Completes an answer with the offered formats that it leaves out.
///
/// An answer lists the formats that its sender wants to receive; the sender itself may use any format that
/// was offered (RFC 3264 §7). Chromium, for example, answers with the page's preferred codec, but sends the
/// codec that was offered first. However, webrtcbin 1.22 drops packets with payload types that are not in the
/// answer.
enum OfferedFormats {
    /// The payload types of a section in order, and the attribute lines of each.
    private struct Section {
        var types: [Int] = []
        var lines: [Int: [Substring]] = [:]

        /// Returns the value of an attribute of a payload type.
        func value(_ attribute: String, of type: Int) -> Substring? {
            lines[type]?.first { $0.hasPrefix("a=\(attribute):") }?.split(separator: " ", maxSplits: 1).last
        }
    }

    private static let attributes = ["a=rtpmap:", "a=fmtp:", "a=rtcp-fb:"]

    /// Appends further offered formats to the given sections of the answer; the result is for webrtcbin only.
    ///
    /// Retransmission formats are added only for added codecs, not for codecs that the answer lists without
    /// retransmission. Payload types that the answer already uses are not added.
    static func added(from offer: String, to answer: String, in sections: Set<Int>) -> String {
        let (offered, answered) = (self.sections(of: offer), self.sections(of: answer))
        let used = Set(answered.flatMap(\.types))
        var lines: [String] = []
        var (index, pending): (Int, [Substring]) = (-1, [])
        for line in SessionDescription.lines(of: answer) where !line.isEmpty {
            guard line.hasPrefix("m=") else {
                lines.append(String(line))
                continue
            }
            lines += pending.map { String($0) }
            index += 1
            let isWanted = sections.contains(index) && offered.indices.contains(index)
            let types = isWanted ? added(offered[index], besides: used) : []
            pending = types.flatMap { offered[index].lines[$0] ?? [] }
            lines.append(line + types.map { " \($0)" }.joined())
        }
        lines += pending.map { String($0) }
        return lines.joined(separator: "\r\n") + "\r\n"
    }

    private static func added(_ section: Section, besides used: Set<Int>) -> [Int] {
        let free = section.types.filter { !used.contains($0) }
        let media = free.filter { type in
            let name = section.value("rtpmap", of: type)?.split(separator: "/").first
            return name.flatMap { Codec(encodingName: String($0)) } != nil
        }
        let repair = free.filter { type in
            guard
                let original = section.value("fmtp", of: type)?.split(separator: "=").last.flatMap({ Int($0) }
                )
            else { return false }
            return section.value("rtpmap", of: type)?.lowercased().hasPrefix("rtx/") ?? false
                && media.contains(original)
        }
        return media + repair
    }

    private static func sections(of description: String) -> [Section] {
        var sections: [Section] = []
        for line in SessionDescription.lines(of: description) {
            if line.hasPrefix("m=") {
                let fields = line.split(separator: " ").dropFirst(3)
                sections.append(Section(types: fields.compactMap { Int($0) }))
            } else if let attribute = attributes.first(where: line.hasPrefix), !sections.isEmpty,
                let type = Int(line.dropFirst(attribute.count).prefix { $0 != " " })
            {
                sections[sections.count - 1].lines[type, default: []].append(line)
            }
        }
        return sections
    }
}
