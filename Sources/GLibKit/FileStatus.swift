internal import Glibc

/// The status of a file (`stat(2)`).
///
/// Callers use it instead of `stat`, which belongs to a different module in targets that link Foundation,
/// such as the executable.
package struct FileStatus: Hashable, Sendable {
    /// The permission bits.
    package let permissions: UInt32
    package let isRegularFile: Bool
    package let isFolder: Bool
    /// The size in bytes.
    package let size: Int
    /// The time of the last change, since 1970.
    package let modified: Duration

    /// Reads the status of an open file; nil if the descriptor is not open.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the status of the file at `path`, following symbolic links; nil if it does not exist or its
    /// folder is not accessible.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        permissions = status.st_mode & 0o7777
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
        size = Int(status.st_size)
        modified = .seconds(status.st_mtim.tv_sec) + .nanoseconds(status.st_mtim.tv_nsec)
    }
}
