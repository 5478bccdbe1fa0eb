package import CallCore
internal import Glibc

/// A file that is written under a random name and takes its own when it is whole.
///
/// Its name is made up here, is nobody else's, and is no link; what is written and deleted is this file alone, whatever
/// becomes of the name meanwhile.
package final class PartialFile: Sendable {
    /// Beside the destination, so that it can take that name at once.
    let path: String
    private let destination: String
    private let descriptor: Int32

    /// Makes an empty file that nobody else can read.
    ///
    /// - Parameter destination: the path that it is to take; something may stand there.
    /// - Throws: `MediaFailure.recording` where no file can be made.
    package init(for destination: String) throws(MediaFailure) {
        self.destination = destination
        path = "\(destination).\(String(UInt64.random(in: .min ... .max), radix: 16)).part"
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(destination, errno) }
    }

    deinit { close(descriptor) }

    /// Where this file can be written while this object lives.
    var writingPath: String { "/proc/self/fd/\(descriptor)" }

    /// In bytes.
    var size: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Puts the file in the place of what its destination is, which keeps its permissions.
    ///
    /// - Throws: `MediaFailure.recording`.
    package func takeName() throws(MediaFailure) {
        var status = stat()
        if stat(destination, &status) == 0 { fchmod(descriptor, status.st_mode & 0o777) }
        guard isOurs else { throw Self.failure(destination, ENOENT) }
        guard rename(path, destination) == 0 else { throw Self.failure(destination, errno) }
    }

    /// Deletes the file, unless it has taken its name.
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
            hint: "see whether its folder can be written"
        )
    }
}
