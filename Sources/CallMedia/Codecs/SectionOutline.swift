internal import CallCore

/// The parts of a peer's session description by which webrtcbin 1.22 finds transceivers and transports.
///
/// webrtcbin terminates the process in these cases:
///
/// - A packet arrives for a section whose transport a later description has changed.
/// - A packet arrives for a section without a transceiver.
/// - A section gets the mid of another section.
struct SectionOutline: Hashable, Sendable {
    /// A section; its values are bytes, because webrtcbin compares bytes.
    private struct Section: Hashable, Sendable {
        /// The media type in the m-line, such as `audio`.
        let kind: [UInt8]
        /// The mid; nil if there is no `a=mid` line.
        var mid: [UInt8]?
    }

    private var sections: [Section] = []
    /// The first mid of the first group if that is a BUNDLE group (RFC 9143), else nil.
    private var tag: [UInt8]?

    /// Parses a description in the same way as webrtcbin.
    init(of text: String) throws(CallMediaFailure) {
        var hasGroup = false
        for line in ReadableDescription.lines(of: text) {
            if let value = line.bytes(after: "m=") {
                sections.append(Section(kind: Array(value.prefix { $0 != UInt8(ascii: " ") })))
            } else if sections.isEmpty {
                guard !hasGroup, line.bytes(after: "a=group:") != nil else { continue }
                hasGroup = true
                tag = line.bytes(after: "a=group:BUNDLE ").map {
                    Array($0.prefix { $0 != UInt8(ascii: " ") })
                }
            } else if let mid = line.bytes(after: "a=mid:") {
                guard sections[sections.count - 1].mid == nil else {
                    throw .badDescription("a section has several a=mid lines")
                }
                sections[sections.count - 1].mid = Array(mid)
            }
        }
        let mids = sections.compactMap(\.mid)
        guard Set(mids).count == mids.count else {
            throw .badDescription("two of its sections have the same a=mid")
        }
    }

    /// The index of the section whose transport all sections share; nil without a BUNDLE group.
    var tagged: Int? { tag.flatMap { tag in sections.firstIndex { $0.mid == tag } } }

    /// Returns the reason why a description with the outline `next` cannot follow the one with this outline; nil if
    /// it can.
    ///
    /// Sections may be appended (RFC 8829 §5.2.2), and sections except the tagged one may leave the BUNDLE group.
    func objection(to next: SectionOutline) -> String? {
        if next.sections.count < sections.count { return "it leaves out sections of the previous offer" }
        if next.sections.prefix(sections.count) != sections[...] {
            return "it changes the order, the media or the mids of the sections"
        }
        return next.tag == tag ? nil : "it changes the BUNDLE group"
    }
}
