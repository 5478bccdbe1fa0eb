internal import CallCore

/// Filters a peer's session description before it is passed to webrtcbin.
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

    /// The maximum numbers of attributes per section, of SSRCs per section, and of SSRCs per attempt.
    private static let (mostAttributes, mostSources, mostSourcesInAll) = (1000, 8, 64)
    private static let directions: Set<Substring> = ["a=sendrecv", "a=sendonly", "a=recvonly", "a=inactive"]
    private static let credentials: Set<Substring> = ["a=ice-ufrag", "a=ice-pwd"]

    /// Returns the description without candidates, without unknown attributes, and with a limited number of SSRCs.
    ///
    /// Candidates are added one by one instead, so that their number can be limited. webrtcbin 1.22 assigns a packet to
    /// the section that declares its SSRC, and terminates the process if this section has no transport. A section with
    /// two direction attributes would make it create another transceiver at each offer, and a repeated `a=ice-ufrag` or
    /// `a=ice-pwd` would terminate the process; so only the first of each is retained.
    ///
    /// - Parameters:
    ///   - description: the peer's session description.
    ///   - sections: the indices of the sections whose SSRCs are retained.
    ///   - known: the SSRCs passed to GStreamer so far; it stores them as names that it never frees.
    ///   - correctsErrors: whether redundant packets may be received.
    /// - Returns: the filtered description.
    static func text(
        of description: String,
        sourcesOf sections: Set<Int>,
        known: inout Set<Substring>,
        correctsErrors: Bool = false
    ) -> String {
        var (index, count) = (-1, 0)
        var (sources, single): (Set<Substring>, Set<Substring>) = ([], [])
        var readable: [Substring] = []
        for line in lines(of: description) {
            if line.bytes(after: "m=") != nil {
                (index, count, sources, single) = (index + 1, 0, [], [])
                readable.append(ReadableAttribute.section(line))
                continue
            }
            guard line.bytes(after: "a=") != nil else {
                readable.append(line)
                continue
            }
            guard count < mostAttributes,
                let attribute = ReadableAttribute.line(line, correctsErrors: correctsErrors)
            else { continue }
            let name = attribute.prefix { $0 != ":" }
            if directions.contains(name) || credentials.contains(name) {
                guard single.insert(directions.contains(name) ? "direction" : name).inserted else { continue }
            }
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
    /// `hasPrefix` would compare characters: a combining mark after the prefix changes its last character.
    func bytes(after prefix: String) -> Substring.UTF8View.SubSequence? {
        utf8.starts(with: prefix.utf8) ? utf8.dropFirst(prefix.utf8.count) : nil
    }
}
