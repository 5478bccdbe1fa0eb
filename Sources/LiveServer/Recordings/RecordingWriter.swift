internal import Basics
internal import LiveCore
internal import ServerStore

/// The writer of the files of one recording.
///
/// Its calls block, and belong on the threads for files.
struct RecordingWriter: Sendable {
    /// The frames of a segment.
    struct Part: Sendable {
        let movie: MovieFragment
        let duration: Duration
        /// The capture time of the first frame.
        let date: Timestamp

        /// The number of bytes that the part takes in memory, with a generous one for the part itself.
        var memory: Int { movie.bytes.count + movie.header.count + 1024 }
    }

    /// The maximum number of files of a recording: each interruption of the stream begins one.
    private static let mostFiles = 1000
    /// The number of bytes of disk space that recordings leave for everything else.
    private static let reserve: UInt64 = 1_000_000_000

    let files: RecordingFolder
    /// The number of files.
    private var count = 0
    /// The length of the current file in bytes.
    private var length = 0
    private var indexLength = 0

    init(_ files: RecordingFolder) { self.files = files }

    /// Adds the frames of a segment.
    ///
    /// A fragment is in the index only if it is complete, so that a recording survives the end of the process at any
    /// moment.
    /// - Throws: `ServerStoreFailure`.
    mutating func add(_ part: Part) throws(ServerStoreFailure) {
        let movie = part.movie
        if count == 0 { try files.folder.make() }
        guard files.folder.hasRoom(beyond: Self.reserve) else {
            throw end("the disk has less than 1 GB left")
        }
        guard indexLength < RecordingIndex.maximumLength - 1000 else { throw end("it is too long") }
        if count == 0 || movie.isFirst {
            guard count < Self.mostFiles else { throw end("the stream was interrupted \(count) times") }
            try files.write(movie.header, at: 0, of: RecordingFolder.file(count))
            try addToIndex(RecordingIndex.line(fileWithHeader: movie.header.count))
            length = movie.header.count
            count += 1
        }
        try files.write(movie.bytes, at: length, of: RecordingFolder.file(count - 1))
        let fragment = RecordingIndex.Fragment(
            offset: length,
            length: movie.bytes.count,
            milliseconds: Int(part.duration / .milliseconds(1)),
            date: Int(part.date.milliseconds)
        )
        try addToIndex(fragment.line)
        length += movie.bytes.count
    }

    private mutating func addToIndex(_ line: String) throws(ServerStoreFailure) {
        try files.write(Array(line.utf8), at: indexLength, of: RecordingFolder.index)
        indexLength += line.utf8.count
    }

    private func end(_ reason: String) -> ServerStoreFailure { .unusable(files.folder.path, reason) }
}
