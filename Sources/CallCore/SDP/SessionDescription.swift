/// What this program reads of a session description (RFC 8866, RFC 8829); hostile text never traps.
package struct SessionDescription: Hashable, Sendable {
    /// In bytes of UTF-8.
    package static let maximumLength = 256 * 1024
    package static let maximumSections = 64

    /// The `sess-version` of the `o=` line; grows when a description is changed and sent again.
    package internal(set) var originVersion: UInt64 = 0
    /// The `ice-ufrag` at session level.
    package internal(set) var sessionUfrag: String?
    /// The interval between connectivity checks that its sender proposes, in milliseconds (RFC 8839 §5.8).
    package internal(set) var icePacing: Int?
    package internal(set) var media: [MediaSection] = []
    /// At session level.
    var fingerprints = FingerprintLines()

    /// - Throws: `SessionDescriptionError` for text too long, with too many sections or of another form.
    package init(parsing text: String) throws(SessionDescriptionError) {
        var reader = SessionDescriptionReader()
        self = try reader.read(text)
    }

    init() {}

    /// The `ice-ufrag` of the first section that has one, or the session's: it names the description.
    package var iceUfrag: String? {
        media.lazy.compactMap(\.iceUfrag).first ?? sessionUfrag
    }

    /// Every `ice-ufrag` in force, as sections that are not bundled may differ.
    package var iceUfrags: Set<String> {
        Set(media.compactMap(\.iceUfrag) + [sessionUfrag].compactMap(\.self))
    }

    /// Whether no section of media that is accepted carries anything, in either direction.
    package var carriesNothing: Bool {
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

/// Why a text is no session description.
package enum SessionDescriptionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// In bytes.
    case tooLong(Int)
    case tooManySections
    /// Counted from one; `text` is the beginning of that line.
    case malformedLine(Int, text: String)
    /// Nothing tells which certificate the peer will show.
    case noFingerprint
    /// Names of hash functions, of which none is strong enough or known.
    case unusableFingerprints([String])

    package var description: String {
        switch self {
        case .tooLong(let bytes):
            "the session description has \(bytes) bytes, \(SessionDescription.maximumLength) are allowed"
        case .tooManySections:
            "the session description has more than \(SessionDescription.maximumSections) m= lines"
        case .malformedLine(let number, let text):
            "line \(number) of the session description is malformed: “\(text)”"
        case .noFingerprint: "the session description names no certificate (a=fingerprint)"
        case .unusableFingerprints(let names):
            "the session description names the certificate by \(names.joined(separator: ", ")) alone, "
                + "SHA-256 is the least that is taken"
        }
    }
}
