internal import Glibc

/// The status of a file (`stat(2)`).
///
/// It stands here because `stat` has another defining module where Foundation is linked, as in the executable.
package struct FileStatus: Hashable, Sendable {
    /// The permission bits.
    package let permissions: UInt32
    package let isRegularFile: Bool

    /// The status of an open file; nil where there is none.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The status of the file at `path`, behind symbolic links; nil where there is none.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        permissions = status.st_mode & 0o7777
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
    }
}
