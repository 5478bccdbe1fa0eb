package import Basics
internal import Glibc

/// A file that is written under a random name and renamed when it is complete.
///
/// The file is created exclusively and is not a symbolic link. Only this file is written or deleted, even if
/// another process replaces the file at that name.
package final class PartialFile: Sendable {
    /// The temporary path, in the folder of the destination so that it can be renamed atomically.
    let path: String
    private let destination: String
    private let descriptor: Int32

    /// Creates an empty file that only this user can read.
    ///
    /// - Parameter destination: the final path, at which a file may already exist.
    /// - Throws: `MediaFailure.recording` if no file can be created.
    package init(for destination: String) throws(MediaFailure) {
        self.destination = destination
        path = "\(destination).\(String(UInt64.random(in: .min ... .max), radix: 16)).part"
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(destination, errno) }
    }

    deinit { close(descriptor) }

    /// A path through which this file can be written; valid while this object exists.
    var writingPath: String { "/proc/self/fd/\(descriptor)" }

    /// The size in bytes.
    var size: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Renames the file to its destination; an existing file there is replaced, and its permissions are adopted.
    ///
    /// - Throws: `MediaFailure.recording` if the file cannot be renamed or is no longer at `path`.
    package func takeName() throws(MediaFailure) {
        var status = stat()
        // A symbolic link is replaced itself, so the permissions of its target do not matter.
        if lstat(destination, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
            fchmod(descriptor, status.st_mode & 0o777)
        }
        guard isOurs else { throw Self.failure(destination, ENOENT) }
        guard rename(path, destination) == 0 else { throw Self.failure(destination, errno) }
    }

    /// Deletes the file unless it was renamed.
    package func discard() {
        if isOurs { unlink(path) }
    }

    private var isOurs: Bool {
        let identity = FileIdentity(descriptor: descriptor)
        return identity != nil && FileIdentity(path: path) == identity
    }

    private static func failure(_ path: String, _ code: Int32) -> MediaFailure {
        .recording(
            message: "\(path) cannot be written: \(String(cString: strerror(code)))",
            hint: "check that its folder is writable"
        )
    }
}
