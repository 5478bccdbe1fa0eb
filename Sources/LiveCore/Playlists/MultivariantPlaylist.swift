package import Basics

/// A playlist that lists the same stream in several qualities (RFC 8216 §4.3.4).
package struct MultivariantPlaylist: Hashable, Sendable {
    package struct Variant: Hashable, Sendable {
        package var uri: String
        /// The peak bit rate in bits per second.
        package var bandwidth: Int
        /// The average bit rate in bits per second; nil if the playlist does not state it.
        package var averageBandwidth: Int?
        package var resolution: Resolution?
        /// The codecs as in RFC 6381, such as `avc1.64001f` and `mp4a.40.2`.
        package var codecs: [String]

        var hasOnlyAudio: Bool {
            !codecs.isEmpty && codecs.allSatisfy { codec in Self.audio.contains { codec.hasPrefix($0) } }
        }

        private static let audio = ["mp4a", "ac-3", "ec-3", "opus", "Opus", "fLaC"]
    }

    /// The variants; at least one.
    package var variants: [Variant]

    /// Parses a playlist.
    ///
    /// - Throws: `PlaylistError`, also for a media playlist.
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
                        averageBandwidth: attributes["AVERAGE-BANDWIDTH"].flatMap { Int($0) },
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

    /// Selects the bit rate that suffices for a view.
    ///
    /// - Parameter height: The height of the view in pixels.
    /// - Returns: The highest bit rate of the smallest variants that are large enough for the view, or their average
    ///   bit rate if the playlist states it; nil if only the largest variants or none are large enough, or if the size
    ///   of a variant is unknown.
    package func bandwidth(forHeight height: Int) -> Int? {
        var known: [(height: Int, bandwidth: Int)] = []
        for variant in variants where !variant.hasOnlyAudio {
            guard let resolution = variant.resolution else { return nil }
            known.append((resolution.height, variant.averageBandwidth ?? variant.bandwidth))
        }
        let fitting = known.filter { Double($0.height) * Self.enlargement >= Double(height) }.map(\.height)
            .min()
        guard let fitting, fitting < known.map(\.height).max() ?? 0 else { return nil }
        return known.filter { $0.height == fitting }.map(\.bandwidth).max()
    }

    /// The factor by which a video may be enlarged before a larger variant is preferred.
    private static let enlargement = 1.15

    /// Determines whether a playlist lists variants instead of segments.
    package static func matches(_ text: String) -> Bool { text.streamSafe.contains("#EXT-X-STREAM-INF:") }
}
