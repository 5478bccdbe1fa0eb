internal import Glibc

/// A lock that lets only one process use a server's folder; it is released at the latest when the process ends.
final class ServerFolderLock: Sendable {
    private static let name = "lock"

    private let descriptor: Int32

    /// Acquires the lock.
    ///
    /// - Throws: `ServerStoreFailure.inUse` if another process holds it.
    init(_ folder: ServerFolder) throws(ServerStoreFailure) {
        try folder.make()
        let path = folder.path(Self.name)
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .unusable(path, String(cString: strerror(errno))) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            let holder = Self.holder(descriptor)
            close(descriptor)
            throw reason == EWOULDBLOCK
                ? .inUse(folder.path, process: holder) : .unusable(path, String(cString: strerror(reason)))
        }
        self.descriptor = descriptor
        let process = Array("\(getpid())\n".utf8)
        // The process ID is only used in messages; the lock works without it.
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, process, process.count, 0) }
    }

    deinit { Self.release(descriptor) }

    private static func release(_ descriptor: Int32) {
        // Closing is not enough: a process that is being started shares the lock until it executes its program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Checks that no process holds the lock, without acquiring it permanently.
    ///
    /// - Throws: `ServerStoreFailure.inUse` if a process holds it.
    static func check(_ folder: ServerFolder) throws(ServerStoreFailure) {
        let descriptor = open(folder.path(name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return }
        defer { release(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else {
            throw .inUse(folder.path, process: holder(descriptor))
        }
    }

    private static func holder(_ descriptor: Int32) -> Int? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return Int(String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self))
    }
}
