internal import CGLib
internal import Glibc

/// Renames files without replacing other files.
package enum FileMove {
    /// The reason why a file was not renamed.
    package enum Failure: Error, Hashable, Sendable {
        /// A file with the new path exists already.
        case taken
        /// The file system failed, for this reason.
        case other(String)

        package var reason: String {
            switch self {
            case .taken: "it exists"
            case .other(let reason): reason
            }
        }
    }

    /// Renames a file; with `isSynced`, its content is on the disk before.
    ///
    /// - Throws: `Failure`.
    package static func move(_ path: String, to new: String, isSynced: Bool = false) throws(Failure) {
        if isSynced { try sync(path) }
        guard callrunner_rename_without_replacing(path, new) != 0 else { return }
        switch errno {
        // The file system cannot do that in one step.
        case EINVAL, ENOSYS: try link(path, as: new)
        default: throw failure
        }
    }

    private static func sync(_ path: String) throws(Failure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure }
    }

    /// Renames a file in two steps; a process that is killed between them leaves both names.
    static func link(_ path: String, as new: String) throws(Failure) {
        if Glibc.link(path, new) == 0 {
            guard unlink(path) != 0 else { return }
            let failure = failure
            unlink(new)
            throw failure
        }
        switch errno {
        case EPERM, EOPNOTSUPP, ENOSYS: try reserve(new, for: path)
        default: throw failure
        }
    }

    /// Renames a file on a file system without hard links; a process that is killed meanwhile leaves an empty file.
    static func reserve(_ new: String, for path: String) throws(Failure) {
        let descriptor = open(new, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure }
        close(descriptor)
        guard rename(path, new) != 0 else { return }
        let failure = failure
        unlink(new)
        throw failure
    }

    /// The failure that `errno` describes.
    private static var failure: Failure { errno == EEXIST ? .taken : .other(SystemError().reason) }
}
