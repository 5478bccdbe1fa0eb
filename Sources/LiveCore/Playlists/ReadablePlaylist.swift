/// The normalization of a playlist into a form that GStreamer's demuxer parses in the same way as this package.
///
/// The demuxer of GStreamer 1.22 crashes if it finds no segment in a playlist, and it skips segments with a duration
/// that it parses as zero. Like the demuxer, this check processes bytes: a combining character, for example, does not
/// hide the character before it.
package enum ReadablePlaylist {
    /// The minimum duration of a segment in the result.
    private static let shortest = Duration.milliseconds(1)

    /// Checks that the playlist contains addresses, and rewrites the durations of its segments.
    ///
    /// - Parameter text: The result of `PlaylistAddresses.replace`.
    /// - Returns: The text for the demuxer.
    /// - Throws: `PlaylistError.notAPlaylist` for a text with null characters, `.damaged` for a segment without a
    ///   duration and for a playlist with both segments and variants, or `.missing` if there is no address.
    package static func text(of text: String) throws(PlaylistError) -> String {
        let bytes = Array(text.utf8)
        guard !bytes.contains(0) else { throw .notAPlaylist }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let listsVariants = lines.contains { $0.starts(with: "#EXT-X-STREAM-INF:".utf8) }
        var (result, isTimed, addresses) = ([UInt8](), false, 0)
        result.reserveCapacity(bytes.count)
        for (index, line) in lines.enumerated() {
            if index > 0 { result.append(UInt8(ascii: "\n")) }
            if line.starts(with: "#EXTINF".utf8) {
                guard !listsVariants, let duration = duration(in: line) else {
                    throw .damaged(line: index + 1)
                }
                result += Array("#EXTINF:\(duration),".utf8)
                isTimed = true
                continue
            }
            result += line
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            addresses += 1
            guard isTimed || listsVariants else { throw .damaged(line: index + 1) }
            isTimed = false
        }
        guard addresses > 0 else { throw .missing(listsVariants ? "variant" : "segment") }
        return String(decoding: result, as: UTF8.self)
    }

    /// Parses the duration in a tag and returns it as seconds; nil if it is invalid.
    private static func duration(in tag: ArraySlice<UInt8>) -> String? {
        let value = tag.drop { $0 != UInt8(ascii: ":") }.dropFirst().prefix { $0 != UInt8(ascii: ",") }
        let text = String(decoding: value, as: UTF8.self)
        let digits = text.drop(while: \.isWhitespace).prefix { !$0.isWhitespace }
        return MediaPlaylist.duration(digits).map { MediaPlaylist.seconds(max(shortest, $0)) }
    }
}
