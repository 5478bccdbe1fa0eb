internal import Basics
internal import LiveCore

/// The list of the fragments of a recording, which grows while the recording is made.
///
/// It is a text file: a line `file LENGTH` for each MP4 file, with the length of its header, and after it a line
/// `OFFSET LENGTH MILLISECONDS DATE` for each fragment in that file.
struct RecordingIndex: Hashable {
    /// The fragments of one MP4 file.
    struct File: Hashable {
        let headerLength: Int
        var fragments: [Fragment] = []
    }

    struct Fragment: Hashable {
        let offset: Int
        let length: Int
        let milliseconds: Int
        /// The capture time of its first frame in milliseconds since 1970.
        let date: Int64

        /// The line of the fragment in the index.
        var line: String { "\(offset) \(length) \(milliseconds) \(date)\n" }
    }

    /// The maximum length of an index in bytes, enough for a week of segments of one second.
    static let maximumLength = 32 << 20
    /// The duration in milliseconds from which fragments are a segment of the playlist.
    ///
    /// Longer segments make playlists shorter, which players load as a whole.
    private static let segmentLength = 6000

    private(set) var files: [File] = []

    /// Parses an index up to the first line that is not complete, because a process may have been killed while it was
    /// writing.
    init(_ bytes: some Collection<UInt8>) {
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let words = rest[..<end].split(separator: UInt8(ascii: " "))
                .map { String(decoding: $0, as: UTF8.self) }
            rest = rest[rest.index(after: end)...]
            let numbers = words.compactMap { Int($0) }
            if words.first == "file", numbers.count == 1, words.count == 2 {
                files.append(File(headerLength: numbers[0]))
            } else if numbers.count == 4, words.count == 4, !files.isEmpty {
                files[files.count - 1].fragments.append(
                    Fragment(
                        offset: numbers[0],
                        length: numbers[1],
                        milliseconds: numbers[2],
                        date: Int64(numbers[3])
                    )
                )
            } else {
                return
            }
        }
    }

    /// Returns the line that begins a file in the index.
    static func line(fileWithHeader length: Int) -> String { "file \(length)\n" }

    var milliseconds: Int { files.reduce(0) { $1.fragments.reduce($0) { $0 + $1.milliseconds } } }

    /// Returns the playlist of the recording, whose files are in the folder `name` beside it; nil if it is empty.
    func playlist(_ name: String) -> String? {
        var lines: [String] = []
        var longest = 0
        for (number, file) in files.enumerated() where !file.fragments.isEmpty {
            let uri = "\(name)/\(number).mp4"
            if !lines.isEmpty { lines.append("#EXT-X-DISCONTINUITY") }
            lines.append("#EXT-X-MAP:URI=\"\(uri)\",BYTERANGE=\"\(file.headerLength)@0\"")
            for segment in Self.segments(of: file) {
                longest = max(longest, segment.milliseconds)
                lines += [
                    "#EXT-X-PROGRAM-DATE-TIME:\(Timestamp(milliseconds: segment.date))",
                    "#EXTINF:\(MediaPlaylist.seconds(.milliseconds(segment.milliseconds))),",
                    "#EXT-X-BYTERANGE:\(segment.length)@\(segment.offset)", uri,
                ]
            }
        }
        guard !lines.isEmpty else { return nil }
        let head = [
            "#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:\((longest + 999) / 1000)",
            "#EXT-X-MEDIA-SEQUENCE:0", "#EXT-X-PLAYLIST-TYPE:VOD", "#EXT-X-INDEPENDENT-SEGMENTS",
        ]
        return (head + lines + ["#EXT-X-ENDLIST"]).joined(separator: "\n") + "\n"
    }

    /// Joins consecutive fragments of a file.
    private static func segments(of file: File) -> [Fragment] {
        file.fragments.reduce(into: []) { segments, next in
            guard let last = segments.last, last.milliseconds < segmentLength,
                last.offset + last.length == next.offset
            else { return segments.append(next) }
            segments[segments.count - 1] = Fragment(
                offset: last.offset,
                length: last.length + next.length,
                milliseconds: last.milliseconds + next.milliseconds,
                date: last.date
            )
        }
    }
}
