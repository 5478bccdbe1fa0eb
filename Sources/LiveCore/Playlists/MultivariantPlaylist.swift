package import Basics

/// A playlist that lists the same stream in several qualities (RFC 8216 §4.3.4).
package struct MultivariantPlaylist: Hashable, Sendable {
    package struct Variant: Hashable, Sendable {
        package var uri: String
        /// The peak bit rate in bits per second.
        package var bandwidth: Int
        package var resolution: Resolution?
        /// The codecs as in RFC 6381, such as `avc1.64001f` and `mp4a.40.2`.
        package var codecs: [String]
    }

    /// The variants; at least one.
    package var variants: [Variant]

    /// Parses a playlist.
    ///
    /// - Throws: `PlaylistError`; `.missing` for a media playlist, too.
    package init(_ text: String) throws(PlaylistError) {
        variants = []
        var next: [String: String]?
        for (number, line) in try PlaylistLines(text).lines {
            switch line {
            case .tag("EXT-X-STREAM-INF", let value):
                guard let attributes = PlaylistLines.attributes(value) else { throw .damaged(line: number) }
                next = attributes
            case .uri(let uri):
                guard let attributes = next, let bandwidth = attributes["BANDWIDTH"].flatMap({ Int($0) }),
                    bandwidth > 0
                else { throw .damaged(line: number) }
                variants.append(
                    Variant(
                        uri: String(uri),
                        bandwidth: bandwidth,
                        resolution: attributes["RESOLUTION"].flatMap { Resolution($0) },
                        codecs: (attributes["CODECS"] ?? "").split(separator: ",").map {
                            String($0.trimmingPrefix(" "))
                        }
                    )
                )
                next = nil
            case .tag: break
            }
        }
        guard !variants.isEmpty else { throw .missing("EXT-X-STREAM-INF") }
    }

    /// Determines whether a playlist lists variants instead of segments.
    package static func matches(_ text: String) -> Bool { text.contains("#EXT-X-STREAM-INF:") }
}
