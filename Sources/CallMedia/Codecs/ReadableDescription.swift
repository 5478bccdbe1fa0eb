internal import CallCore

/// The text of a peer's session description as webrtcbin may read it.
enum ReadableDescription {
    /// Returns the lines that GStreamer and our parser read in the same way.
    ///
    /// GStreamer ignores white space before the name of an attribute. For our parser, such a line has an unknown
    /// name.
    static func lines(of text: String) -> [Substring] {
        SessionDescription.lines(of: text).filter { line in
            guard let attribute = line.bytes(after: "a=") else { return true }
            return attribute.first.map { $0 > 0x20 } ?? false
        }
    }

    /// The maximum number of attributes of a section, of its SSRCs, and of all SSRCs of an attempt.
    private static let (mostAttributes, mostSources, mostSourcesInAll) = (1000, 8, 64)

    /// Returns the description without candidates and unknown attributes, and with some SSRCs of the given sections.
    ///
    /// The number of candidates is bounded only if they are added one by one. webrtcbin 1.22 assigns a packet to the
    /// section that names its SSRC, and ends the process if that section has no transport.
    ///
    /// - Parameters:
    ///   - description: The description.
    ///   - sections: The sections whose SSRCs stay.
    ///   - known: The SSRCs that GStreamer has read, and keeps as names for ever.
    /// - Returns: The text.
    static func text(
        of description: String,
        sourcesOf sections: Set<Int>,
        known: inout Set<Substring>
    ) -> String {
        var (index, count) = (-1, 0)
        var sources: Set<Substring> = []
        var readable: [Substring] = []
        for line in lines(of: description) {
            if line.bytes(after: "m=") != nil {
                (index, count, sources) = (index + 1, 0, [])
                readable.append(ReadableAttribute.section(line))
                continue
            }
            guard line.bytes(after: "a=") != nil else {
                readable.append(line)
                continue
            }
            guard count < mostAttributes, let attribute = ReadableAttribute.line(line) else { continue }
            if attribute.bytes(after: "a=ssrc") != nil {
                guard sections.contains(index) else { continue }
            }
            if attribute.bytes(after: "a=ssrc:") != nil {
                let source = attribute.prefix { $0 != " " }
                guard sources.contains(source) || sources.count < mostSources,
                    known.contains(source) || known.count < mostSourcesInAll
                else { continue }
                sources.insert(source)
                known.insert(source)
            }
            readable.append(attribute)
            count += 1
        }
        return readable.joined(separator: "\r\n")
    }
}

extension Substring {
    /// Returns the bytes after a prefix; nil if the text does not begin with it.
    ///
    /// `hasPrefix` would compare characters, which a combining mark after the prefix changes.
    func bytes(after prefix: String) -> Substring.UTF8View.SubSequence? {
        utf8.starts(with: prefix.utf8) ? utf8.dropFirst(prefix.utf8.count) : nil
    }
}
