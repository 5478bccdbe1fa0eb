package import Basics

/// A playlist that lists the segments of one stream (RFC 8216 §4.3.3).
package struct MediaPlaylist: Hashable, Sendable {
    package struct Segment: Hashable, Sendable {
        package var uri: String
        package var duration: Duration
        /// The capture time of the first frame; nil unless the playlist states it.
        package var date: Timestamp?
        /// Whether the segment does not continue the previous one, for example after a restart of the encoder.
        package var isDiscontinuous: Bool

        package init(
            _ uri: String,
            _ duration: Duration,
            date: Timestamp? = nil,
            isDiscontinuous: Bool = false
        ) {
            (self.uri, self.duration) = (uri, duration)
            (self.date, self.isDiscontinuous) = (date, isDiscontinuous)
        }
    }

    /// The maximum length of a playlist in bytes.
    package static let maximumLength = 1 << 20

    /// Determines whether a file begins like a playlist, optionally after a byte order mark.
    package static func matches(_ beginning: [UInt8]) -> Bool {
        let tag = Array("#EXTM3U".utf8)
        return beginning.starts(with: tag) || beginning.starts(with: [0xEF, 0xBB, 0xBF] + tag)
    }

    /// The upper limit of the segments' durations, in whole seconds.
    package var targetDuration: Int
    /// The number of the first segment.
    package var firstNumber: Int
    /// The number of discontinuities before the first segment.
    package var firstDiscontinuity: Int
    package var segments: [Segment]
    /// Whether no more segments will be added.
    package var isEnded: Bool

    package init(
        targetDuration: Int,
        firstNumber: Int = 0,
        firstDiscontinuity: Int = 0,
        segments: [Segment] = [],
        isEnded: Bool = false
    ) {
        (self.targetDuration, self.firstNumber) = (targetDuration, firstNumber)
        (self.firstDiscontinuity, self.segments, self.isEnded) = (firstDiscontinuity, segments, isEnded)
    }

    /// Parses a playlist; tags that are not needed to play it are ignored.
    ///
    /// - Throws: `PlaylistError`, also for a multivariant playlist.
    package init(_ text: String) throws(PlaylistError) {
        var target: Int?
        var next: (duration: Duration?, date: Timestamp?, isDiscontinuous: Bool) = (nil, nil, false)
        self.init(targetDuration: 0)
        for (number, line) in try PlaylistLines(text).lines {
            switch line {
            case .tag("EXT-X-TARGETDURATION", let value):
                // Some packagers write a fraction, which the specification does not allow.
                guard let seconds = Double(Self.trimmed(value)), (1...3600).contains(seconds) else {
                    throw .damaged(line: number)
                }
                target = Int(seconds.rounded(.up))
            case .tag("EXT-X-MEDIA-SEQUENCE", let value):
                guard let first = Self.number(value) else { throw .damaged(line: number) }
                firstNumber = first
            case .tag("EXT-X-DISCONTINUITY-SEQUENCE", let value):
                guard let first = Self.number(value) else { throw .damaged(line: number) }
                firstDiscontinuity = first
            case .tag("EXT-X-ENDLIST", _): isEnded = true
            case .tag("EXT-X-DISCONTINUITY", _): next.isDiscontinuous = true
            case .tag("EXT-X-PROGRAM-DATE-TIME", let value): next.date = Timestamp(value)
            case .tag("EXTINF", let value):
                guard let duration = Self.duration(Self.trimmed(value.prefix { $0 != "," })) else {
                    throw .damaged(line: number)
                }
                next.duration = duration
            case .tag: break
            case .uri(let uri):
                guard let duration = next.duration else { throw .damaged(line: number) }
                segments.append(
                    Segment(
                        String(uri),
                        duration,
                        date: next.date,
                        isDiscontinuous: next.isDiscontinuous
                    )
                )
                next = (nil, nil, false)
            }
        }
        guard let target else { throw .missing("EXT-X-TARGETDURATION") }
        targetDuration = target
    }

    /// The number of the last segment plus one.
    package var endNumber: Int { firstNumber + segments.count }

    package var duration: Duration { segments.reduce(.zero) { $0 + $1.duration } }

    /// The playlist as it is sent to players.
    package var text: String {
        var lines = [
            "#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:\(targetDuration)",
            "#EXT-X-MEDIA-SEQUENCE:\(firstNumber)",
        ]
        if firstDiscontinuity > 0 { lines.append("#EXT-X-DISCONTINUITY-SEQUENCE:\(firstDiscontinuity)") }
        for segment in segments {
            if segment.isDiscontinuous { lines.append("#EXT-X-DISCONTINUITY") }
            if let date = segment.date { lines.append("#EXT-X-PROGRAM-DATE-TIME:\(date)") }
            lines.append("#EXTINF:\(Self.seconds(segment.duration)),")
            lines.append(segment.uri)
        }
        if isEnded { lines.append("#EXT-X-ENDLIST") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Parses a duration in seconds; nil unless it is a number from 0 to 3600.
    static func duration(_ digits: Substring) -> Duration? {
        guard let seconds = Double(digits), (0...3600).contains(seconds) else { return nil }
        return .microseconds(Int64((seconds * 1_000_000).rounded()))
    }

    /// Formats a duration in seconds with six decimal places.
    package static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let microseconds = String(attoseconds / 1_000_000_000_000 + 1_000_000).dropFirst()
        return "\(seconds).\(microseconds)"
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let rest = text.drop(while: \.isWhitespace)
        return rest.prefix(
            upTo: rest.lastIndex { !$0.isWhitespace }.map(rest.index(after:)) ?? rest.startIndex
        )
    }

    private static func number(_ text: Substring) -> Int? {
        guard let number = Int(trimmed(text)), number >= 0, number < 1 << 53 else { return nil }
        return number
    }
}
