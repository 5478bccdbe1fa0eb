internal import Glibc

/// An open file that GStreamer writes, even if another file takes its path.
final class WritableFile: Sendable {
    private let descriptor: Int32

    /// Takes ownership of a descriptor that is open for writing.
    init(taking descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Whether this is the file at a path.
    func isPresent(at path: String) -> Bool {
        let identity = FileIdentity(descriptor: descriptor)
        return identity != nil && FileIdentity(path: path) == identity
    }

    /// The size in bytes.
    var size: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// A path through which this file can be written; valid while this object exists.
    var writingPath: String { "/proc/self/fd/\(descriptor)" }
}

extension WritableFile: Hashable {
    static func == (one: WritableFile, other: WritableFile) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
