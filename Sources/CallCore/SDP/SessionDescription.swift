/// The parts of a session description that this program reads (RFC 8866, RFC 8829).
///
/// Hostile text never traps.
package struct SessionDescription: Hashable, Sendable {
    /// The maximum length in bytes of UTF-8.
    package static let maximumLength = 256 * 1024
    package static let maximumSections = 64

    /// The `sess-version` of the `o=` line, which grows when a changed description is sent again.
    package internal(set) var originVersion: UInt64 = 0
    /// The `ice-ufrag` at session level.
    package internal(set) var sessionUfrag: String?
    /// The interval between connectivity checks that the sender proposes, in milliseconds (RFC 8839 §5.8).
    package internal(set) var icePacing: Int?
    package internal(set) var media: [MediaSection] = []
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

    /// Every `ice-ufrag` in use, as sections that are not bundled may differ.
    package var iceUfrags: Set<String> {
        Set(media.compactMap(\.iceUfrag) + [sessionUfrag].compactMap(\.self))
    }

    /// Whether all accepted audio and video sections are inactive, so that nothing flows in either direction.
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

/// The reason why a text is not a usable session description.
package enum SessionDescriptionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is too long; its length in bytes.
    case tooLong(Int)
    case tooManySections
    /// The line with this number, counted from one, is malformed; `text` is its beginning.
    case malformedLine(Int, text: String)
    /// Nothing identifies the peer's certificate.
    case noFingerprint
    /// None of these hash functions is both known and strong enough.
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
