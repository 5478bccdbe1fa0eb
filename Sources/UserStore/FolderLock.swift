package import Basics
internal import Glibc
internal import GLibKit

/// A lock of a folder that excludes other processes and other locks of this one, until it is released.
package struct FolderLock: ~Copyable {
    private let descriptor: Int32

    /// Waits for the lock, blocking the thread, and creates the folder if it does not exist.
    ///
    /// - Throws: `StoreFailure` if the folder cannot be created or locked.
    package init(_ folder: PrivateFolder) throws(StoreFailure) {
        try folder.make()
        // The folder itself is locked, so that no lock file remains.
        let opened = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw Self.failure(folder) }
        while flock(opened, LOCK_EX) != 0 {
            guard errno == EINTR else {
                let failure = Self.failure(folder)
                close(opened)
                throw failure
            }
        }
        descriptor = opened
    }

    deinit { close(descriptor) }

    private static func failure(_ folder: PrivateFolder) -> StoreFailure {
        StoreFailure(
            message: "\(folder.path) cannot be locked: \(SystemError().reason)",
            hint: "check the permissions of the folder"
        )
    }
}
