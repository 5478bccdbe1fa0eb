package import Basics
internal import Glibc
internal import GLibKit

/// A lock of a folder that excludes other processes and other locks of this process until it is released.
package struct FolderLock: ~Copyable {
    private let descriptor: Int32

    /// Waits for the lock, blocking the thread, and creates the folder if it does not exist.
    ///
    /// - Throws: `StoreFailure` if the folder cannot be created or locked.
    package init(_ folder: PrivateFolder) throws(StoreFailure) {
        descriptor = try Self.lock(folder, LOCK_EX) ?? -1
    }

    /// Acquires the lock without waiting, and creates the folder if it does not exist; nil if another lock exists.
    ///
    /// - Throws: `StoreFailure` if the folder cannot be created or locked.
    package init?(trying folder: PrivateFolder) throws(StoreFailure) {
        guard let descriptor = try Self.lock(folder, LOCK_EX | LOCK_NB) else { return nil }
        self.descriptor = descriptor
    }

    /// Opens and locks the folder; nil if `operation` does not wait and another lock exists.
    private static func lock(_ folder: PrivateFolder, _ operation: Int32) throws(StoreFailure) -> Int32? {
        try folder.make()
        // The folder itself is locked, so that no lock file remains.
        let opened = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw failure(folder) }
        while flock(opened, operation) != 0 {
            if errno == EINTR { continue }
            let isTaken = errno == EWOULDBLOCK
            let failure = failure(folder)
            close(opened)
            if isTaken { return nil }
            throw failure
        }
        return opened
    }

    deinit {
        // Closing is not enough: a process that is being started shares the lock until it executes its program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func failure(_ folder: PrivateFolder) -> StoreFailure {
        StoreFailure(
            message: "\(folder.path) cannot be locked: \(SystemError().reason)",
            hint: "check the permissions of the folder"
        )
    }
}
