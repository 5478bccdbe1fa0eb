internal import Basics
internal import FoundationEssentials
internal import Glibc

/// A file path that is reserved before anything is written, so that an unwritable path fails early.
struct ReservedPath: Hashable, Sendable {
    let path: String
    /// The file that this reservation created; nil if a file existed before.
    private let made: FileIdentity?

    /// Reserves `path`; an existing file that may be overwritten is not changed.
    ///
    /// If `isPrivate` is true, only the user can read a new file; otherwise the process's umask applies.
    ///
    /// - Throws: `MediaFailure.recording` if it cannot be written, or exists and `overwrite` is false.
    init(_ path: String, overwrite: Bool, isPrivate: Bool = false) throws(MediaFailure) {
        self.path = path
        do throws(OpeningError) {
            made = try Self.touch(path, isNew: true, isPrivate: isPrivate)
        } catch {
            guard error.code == EEXIST else { throw Self.unwritable(path, error) }
            guard overwrite else {
                throw .recording(
                    message: "\(path) exists already",
                    hint: "choose another name, or replace it with --overwrite"
                )
            }
            made = nil
            do throws(OpeningError) { _ = try Self.touch(path, isNew: false) } catch {
                throw Self.unwritable(path, error)
            }
        }
    }

    /// Checks whether a file can be created in the folder of `path`, whose file name is not known yet.
    ///
    /// - Throws: `MediaFailure.recording` if no file can be created.
    static func checkFolder(of path: String) throws(MediaFailure) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard access(folder, W_OK | X_OK) == 0 else { throw unwritable(path, OpeningError(code: errno)) }
    }

    private struct OpeningError: Error {
        /// The value of `errno`.
        var code: Int32
    }

    private static func touch(
        _ path: String,
        isNew: Bool,
        isPrivate: Bool = false
    ) throws(OpeningError) -> FileIdentity? {
        let flags = O_WRONLY | O_CLOEXEC | O_NONBLOCK | (isNew ? O_CREAT | O_EXCL : 0)
        let descriptor = open(path, flags, isPrivate ? 0o600 : 0o666)
        guard descriptor >= 0 else { throw OpeningError(code: errno) }
        defer { close(descriptor) }
        return FileIdentity(descriptor: descriptor)
    }

    private static func unwritable(_ path: String, _ error: OpeningError) -> MediaFailure {
        .recording(
            message: "\(path) cannot be written: \(String(cString: strerror(error.code)))",
            hint: "check that its folder exists and is writable"
        )
    }

    /// Removes the file if this reservation created it and it is still empty.
    func removeIfEmpty() {
        guard made != nil, FileIdentity(path: path) == made, RecordingFile.size(of: path) == 0 else { return }
        try? FileManager.default.removeItem(atPath: path)
    }
}
