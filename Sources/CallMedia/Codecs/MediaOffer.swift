internal import CallCore

/// The part of a peer's offer that is passed to webrtcbin: the sections for audio and video.
///
/// All other sections, such as those for data channels, are refused (RFC 3264 §6). webrtcbin would open an SCTP
/// association for such a section, over which the peer could open any number of channels, each with a thread. Sections
/// for media beyond the first few are refused too, because each may have a transport of its own, with threads and
/// sockets. The index of a section in `text` may differ from its index in the peer's whole offer.
struct MediaOffer {
    /// The maximum number of sections for audio and video.
    static let maximumSections = 8

    /// The offer without the refused sections.
    let text: String
    let description: SessionDescription
    /// The whole offer, including the refused sections.
    private let whole: SessionDescription
    /// The indices in the whole offer of the sections that are not refused.
    private let kept: [Int]
    /// The lines of each refused section in the answer, by its index in the whole offer.
    private let refusals: [Int: [String]]
    /// The mids of the refused sections in the BUNDLE group.
    private var bundled: [String] = []
    /// The index in the whole offer of the refused section that carries the transport of the BUNDLE group; nil if there
    /// is none.
    private var carrier: Int?
    /// The index in `text` of the section that takes over the transport of `carrier`.
    private var heir: Int?

    init(_ offer: SessionOffer) throws(SessionDescriptionError) {
        let whole = offer.description
        var count = 0
        let isKept = whole.media.map { section in
            count += section.mediaKind == nil || section.port == 0 ? 0 : 1
            return section.mediaKind != nil && count <= Self.maximumSections
        }
        (self.whole, kept) = (whole, isKept.indices.filter { isKept[$0] })
        guard isKept.contains(false) else {
            (text, description, refusals) = (offer.sdp, whole, [:])
            return
        }
        let sections = OfferSections(of: offer.sdp)
        refusals = Dictionary(
            uniqueKeysWithValues: isKept.indices.filter { !isKept[$0] }.map { index in
                (index, Self.refusal(of: sections.media[index], mid: whole.media[index].mid))
            }
        )
        let mids = Set(kept.compactMap { whole.media[$0].mid })
        let refused = Set(refusals.keys.compactMap { whole.media[$0].mid }).subtracting(mids)
        var session: [String] = []
        for line in sections.session {
            guard let group = OfferSections.bundle(in: line) else {
                session.append(line)
                continue
            }
            let left = group.filter { !refused.contains($0) }
            if bundled.isEmpty { bundled = group.filter(refused.contains) }
            if !left.isEmpty { session.append("a=group:BUNDLE \(left.joined(separator: " "))") }
            guard carrier == nil, let first = group.first, refused.contains(first) else { continue }
            carrier = whole.index(ofMid: first)
            heir = left.first.flatMap { whole.index(ofMid: $0) }.flatMap(kept.firstIndex)
        }
        var media = kept.map { sections.media[$0] }
        if let carrier, let heir {
            let (theirs, own) = (whole.media[carrier].iceUfrag, whole.media[kept[heir]].iceUfrag)
            if own == nil || own == theirs {
                media[heir] = OfferSections.moving(
                    sections.media[carrier],
                    to: media[heir],
                    whole: own == nil
                )
            } else {
                (self.carrier, self.heir) = (nil, nil)
            }
        }
        text = (session + media.joined()).map { $0 + "\r\n" }.joined()
        description = try SessionDescription(parsing: text)
    }

    /// Returns the index in `text` of the section that a candidate belongs to; nil if that section was refused.
    func index(ofCandidateFor mid: String?, line: Int?) -> Int? {
        guard let index = mid.flatMap(whole.index(ofMid:)) ?? line else { return nil }
        return index == carrier ? heir : kept.firstIndex(of: index)
    }

    /// Converts the index of a section in `text` to its index in the whole offer.
    func wholeIndex(of index: Int) -> Int { kept.indices.contains(index) ? kept[index] : index }

    /// Converts an answer to `text` into an answer to the whole offer by inserting the refused sections.
    ///
    /// aiortc connects only if each section has a transport and its mid is in the BUNDLE group. Other peers ignore both
    /// for refused sections.
    func completed(_ answer: String) -> String {
        guard !refusals.isEmpty else { return answer }
        let sections = OfferSections(of: answer)
        var lines = sections.session.map { line in
            OfferSections.bundle(in: line) == nil ? line : ([line] + bundled).joined(separator: " ")
        }
        let transport = sections.media.first.map(OfferSections.transport(of:)) ?? []
        for index in whole.media.indices {
            let section = kept.firstIndex(of: index)
            let answered = section.flatMap { sections.media.indices.contains($0) ? sections.media[$0] : nil }
            lines += answered ?? refusals[index].map { $0 + transport } ?? []
        }
        return lines.map { $0 + "\r\n" }.joined()
    }

    /// Returns the lines that refuse a section: its m-line with port 0, and its mid.
    private static func refusal(of section: [String], mid: String?) -> [String] {
        var fields = section[0].dropFirst(2).split(separator: " ", maxSplits: 4).prefix(4).map { String($0) }
        fields[1] = "0"
        return ["m=" + fields.joined(separator: " "), "c=IN IP4 0.0.0.0"]
            + (mid.map { ["a=mid:\($0)"] } ?? [])
    }
}

/// The lines of a session description, by section.
private struct OfferSections {
    var session: [String] = []
    /// The sections, each of which begins with its m-line.
    var media: [[String]] = []

    /// The beginnings of the lines that describe a transport (RFC 8859, category TRANSPORT).
    private static let transport = [
        "a=ice-ufrag:", "a=ice-pwd:", "a=ice-options:", "a=fingerprint:", "a=setup:",
    ]
    private static let candidates = ["a=candidate:", "a=end-of-candidates"]

    init(of text: String) {
        for line in SessionDescription.lines(of: text) where !line.isEmpty {
            if line.hasPrefix("m=") {
                media.append([String(line)])
            } else if media.isEmpty {
                session.append(String(line))
            } else {
                media[media.count - 1].append(String(line))
            }
        }
    }

    static func transport(of section: [String]) -> [String] {
        section.filter { line in transport.contains(where: line.hasPrefix) }
    }

    /// Returns the mids of a BUNDLE group (RFC 9143); nil for any other line.
    static func bundle(in line: String) -> [String]? {
        let fields = line.split(separator: " ").map { String($0) }
        return fields.first == "a=group:BUNDLE" ? Array(fields.dropFirst()) : nil
    }

    /// Returns `section` with the candidates of the section `carrier` and, if `whole` is true, with its other transport
    /// attributes too.
    static func moving(_ carrier: [String], to section: [String], whole: Bool) -> [String] {
        let moved = whole ? transport + candidates : candidates
        let lines = carrier.filter { line in moved.contains(where: line.hasPrefix) }
        let own = Set(section)
        guard whole else { return section + lines.filter { !own.contains($0) } }
        var fields = section[0].dropFirst(2).split(separator: " ").map { String($0) }
        if fields[1] == "0" { fields[1] = "9" }
        let rest = section.dropFirst().filter { $0 != "a=bundle-only" }
        return ["m=" + fields.joined(separator: " ")] + rest + lines
    }
}
