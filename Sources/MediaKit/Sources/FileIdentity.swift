internal import Glibc

/// The identity of a file on disk, independent of its name.
struct FileIdentity: Hashable, Sendable {
    private let device: dev_t
    private let number: ino_t

    /// Reads the identity of an open file; nil if the descriptor is invalid.
    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }

    /// Reads the identity of the file at a path, without following a symbolic link; nil if there is none.
    init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }
}
