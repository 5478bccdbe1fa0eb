internal import Basics
internal import Glibc
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
        /// Whether segments before this one are missing.
        var isAfterGap = false

        /// The number of bytes that the part takes in memory, with a generous one for the part itself.
        var memory: Int { movie.bytes.count + movie.header.count + 1024 }
    }

    /// The maximum number of files of a recording: each change of the encoder's parameters begins one.
    private static let mostFiles = 1000

    let folder: ServerFolder
    /// The number of files.
    private var count = 0
    /// The length of the current file in bytes.
    private var length = 0
    private var indexLength = 0

    init(_ folder: ServerFolder) { self.folder = folder }

    static let index = "index"

    static func file(_ number: Int) -> String { "\(number).mp4" }

    /// Adds the frames of a segment; the first segment after a gap begins another file.
    ///
    /// A fragment is in the index only if it is complete, so that a recording survives the end of the process at any
    /// moment.
    /// - Throws: `ServerStoreFailure`.
    mutating func add(_ part: Part) throws(ServerStoreFailure) {
        let movie = part.movie
        if count == 0 { try folder.make() }
        if count == 0 || part.isAfterGap || movie.isFirst {
            guard count < Self.mostFiles else {
                throw .unusable(folder.path, "the stream was interrupted \(count) times")
            }
            try write(movie.header, at: 0, of: Self.file(count))
            try addToIndex(RecordingIndex.line(fileWithHeader: movie.header.count))
            length = movie.header.count
            count += 1
        }
        try write(movie.bytes, at: length, of: Self.file(count - 1))
        let fragment = RecordingIndex.Fragment(
            offset: length,
            length: movie.bytes.count,
            milliseconds: Int(part.duration / .milliseconds(1)),
            date: part.date.milliseconds
        )
        try addToIndex(fragment.line)
        length += movie.bytes.count
    }

    private mutating func addToIndex(_ line: String) throws(ServerStoreFailure) {
        try write(Array(line.utf8), at: indexLength, of: Self.index)
        indexLength += line.utf8.count
    }

    private func write(_ bytes: [UInt8], at offset: Int, of name: String) throws(ServerStoreFailure) {
        let path = folder.path(name)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .unusable(path, String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset + written))
            }
            guard count > 0 else { throw .unusable(path, String(cString: strerror(errno))) }
            written += count
        }
    }
}
