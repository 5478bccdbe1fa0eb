/// A playlist in a form that GStreamer's demuxer reads as we do.
///
/// The demuxer of GStreamer 1.22 ends the process if it finds no segment in a playlist, and it leaves out every segment
/// whose duration it takes for zero.
package enum ReadablePlaylist {
    /// The shortest duration of a segment in the result, in microseconds.
    private static let shortest = 1000

    /// Checks the segments of a media playlist, and writes their durations anew; a multivariant playlist has none.
    ///
    /// - Throws: `PlaylistError.notAPlaylist`, `.tooLarge`, `.damaged` for a segment without a duration and for a playlist
    ///   that is of both kinds, or `.missing` if there is no segment.
    package static func text(of text: String) throws(PlaylistError) -> String {
        let listsVariants = MultivariantPlaylist.matches(text)
        var (result, isTimed, segments) = ("", false, 0)
        for (index, row) in try PlaylistLines.rows(of: text).enumerated() {
            if row.hasPrefix("#EXTINF") {
                guard !listsVariants, let duration = duration(in: row) else {
                    throw .damaged(line: index + 1)
                }
                result += "#EXTINF:\(duration),\n"
                isTimed = true
                continue
            }
            result += "\(row)\n"
            let isSegment =
                index > 0 && !listsVariants && !row.hasPrefix("#") && !row.allSatisfy(\.isWhitespace)
            guard isSegment else { continue }
            guard isTimed else { throw .damaged(line: index + 1) }
            segments += 1
            isTimed = false
        }
        guard listsVariants || segments > 0 else { throw .missing("segment") }
        return result
    }

    /// Reads a duration as seconds; nil if it is damaged.
    private static func duration(in tag: Substring) -> String? {
        let value = tag.drop { $0 != ":" }.dropFirst().prefix { $0 != "," }
        let digits = value.drop(while: \.isWhitespace).prefix { !$0.isWhitespace }
        guard let seconds = Double(digits), (0...3600).contains(seconds) else { return nil }
        let microseconds = max(shortest, Int((seconds * 1_000_000).rounded()))
        return "\(microseconds / 1_000_000).\(String(1_000_000 + microseconds % 1_000_000).dropFirst())"
    }
}
