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

        /// The length of the file up to its last fragment.
        var length: Int { fragments.last.map { $0.offset + $0.length } ?? headerLength }
    }

    struct Fragment: Hashable {
        let offset: Int
        var length: Int
        var milliseconds: Int
        /// The capture time of its first frame in milliseconds since 1970.
        let date: Int

        /// The line of the fragment in the index.
        var line: String { "\(offset) \(length) \(milliseconds) \(date)\n" }
    }

    /// The maximum length of an index in bytes, enough for a week of segments of one second.
    static let maximumLength = 32 << 20
    /// The minimum duration in milliseconds of the segments in the playlist, and the maximum number of them.
    ///
    /// Longer segments make playlists shorter, which players load as a whole.
    private static let (segmentLength, mostSegments) = (6000, 5000)
    /// The difference in milliseconds beyond which a segment's date does not follow from the one before.
    private static let dateTolerance = 500

    private(set) var files: [File] = []

    /// Parses an index up to the first line that is not complete, because a process may have been killed while it was
    /// writing.
    init(_ bytes: [UInt8]) {
        var start = bytes.startIndex
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            guard add(bytes[start..<end]) else { return }
            start = end + 1
        }
    }

    /// Adds a line; returns false if it is invalid.
    private mutating func add(_ line: ArraySlice<UInt8>) -> Bool {
        let isFile = line.starts(with: Self.fileWord)
        let numbers = Self.numbers(isFile ? line.dropFirst(Self.fileWord.count) : line)
        if isFile, let numbers, numbers.count == 1 {
            files.append(File(headerLength: numbers[0]))
        } else if !isFile, let numbers, numbers.count == 4, !files.isEmpty {
            files[files.count - 1].fragments.append(
                Fragment(offset: numbers[0], length: numbers[1], milliseconds: numbers[2], date: numbers[3])
            )
        } else {
            return false
        }
        return true
    }

    private static let fileWord = Array("file ".utf8)

    /// Parses decimal numbers with spaces between them; nil if there is anything else.
    private static func numbers(_ text: ArraySlice<UInt8>) -> [Int]? {
        var numbers = [0]
        for byte in text {
            if byte == UInt8(ascii: " ") {
                numbers.append(0)
            } else {
                guard byte >= 0x30, byte <= 0x39, numbers[numbers.count - 1] < 1 << 52 else { return nil }
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int(byte - 0x30)
            }
        }
        return numbers
    }

    /// Returns the line that begins a file in the index.
    static func line(fileWithHeader length: Int) -> String { "file \(length)\n" }

    /// Removes the fragments of a file that are not within its actual length.
    mutating func trim(file number: Int, to length: Int) {
        let first = files[number].fragments.firstIndex { $0.offset + $0.length > length }
        if let first { files[number].fragments.removeSubrange(first...) }
    }

    var milliseconds: Int { files.reduce(0) { $1.fragments.reduce($0) { $0 + $1.milliseconds } } }

    /// Returns the playlist of the recording, whose files are in the folder `name` beside it; nil if it is empty.
    func playlist(_ name: String) -> String? {
        let shortest = max(Self.segmentLength, milliseconds / Self.mostSegments)
        var lines: [String] = []
        var longest = 0
        for (number, file) in files.enumerated() where !file.fragments.isEmpty {
            let uri = "\(name)/\(number).mp4"
            if !lines.isEmpty { lines.append("#EXT-X-DISCONTINUITY") }
            lines.append("#EXT-X-MAP:URI=\"\(uri)\",BYTERANGE=\"\(file.headerLength)@0\"")
            var expected: Int?
            for segment in Self.segments(of: file, shortest: shortest) {
                longest = max(longest, segment.milliseconds)
                if expected.map({ abs($0 - segment.date) > Self.dateTolerance }) ?? true {
                    let date = Timestamp(milliseconds: Int64(segment.date))
                    lines.append("#EXT-X-PROGRAM-DATE-TIME:\(date)")
                    expected = segment.date
                }
                expected = expected.map { $0 + segment.milliseconds }
                lines += [
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
    private static func segments(of file: File, shortest: Int) -> [Fragment] {
        file.fragments.reduce(into: []) { segments, next in
            guard let last = segments.indices.last, segments[last].milliseconds < shortest,
                segments[last].offset + segments[last].length == next.offset
            else { return segments.append(next) }
            segments[last].length += next.length
            segments[last].milliseconds += next.milliseconds
        }
    }
}
