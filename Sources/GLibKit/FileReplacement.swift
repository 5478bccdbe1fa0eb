internal import Glibc

/// A system error, described by the value of `errno` when it was created.
package struct SystemError: Error, Hashable, Sendable {
    package let reason: String

    package init() { reason = String(cString: strerror(errno)) }
}

/// An atomic replacement of a file: readers see either its old or its new content, even after `kill -9`.
package struct FileReplacement {
    /// The path of the file.
    private let path: String
    /// The path of the temporary file, which is in the same folder and must have an unpredictable name.
    private let part: String

    package init(of path: String, part: String) { (self.path, self.part) = (path, part) }

    /// Writes the bytes to the temporary file and renames it; removes it after a failure.
    ///
    /// - Parameters:
    ///   - bytes: The new content.
    ///   - permissions: The permission bits of the file, before the umask is applied.
    ///   - isSynced: Whether the content is written to the disk before the file is replaced.
    /// - Throws: `SystemError`.
    package func write(_ bytes: [UInt8], permissions: UInt32, isSynced: Bool) throws(SystemError) {
        do throws(SystemError) {
            try create(bytes, permissions, isSynced)
            guard rename(part, path) == 0 else { throw SystemError() }
        } catch {
            unlink(part)
            throw error
        }
    }

    private func create(_ bytes: [UInt8], _ permissions: UInt32, _ isSynced: Bool) throws(SystemError) {
        let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, permissions)
        guard descriptor >= 0 else { throw SystemError() }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw SystemError() }
            rest = rest.dropFirst(written)
        }
        guard !isSynced || fsync(descriptor) == 0 else { throw SystemError() }
    }
}
