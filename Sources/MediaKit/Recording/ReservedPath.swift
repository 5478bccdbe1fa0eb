internal import Basics
internal import FoundationEssentials
internal import Glibc

/// A file path that is reserved before anything is written, so that an unwritable path fails early.
struct ReservedPath: Hashable, Sendable {
    let path: String
    /// The file that this reservation created; nil if a file existed before.
    ///
    /// It stays open, so that no other file can get the same inode number.
    private let made: WritableFile?

    /// Reserves `path`; an existing file that may be overwritten is not changed.
    ///
    /// If `isPrivate` is true, only the user can read a new file; otherwise the process's umask applies.
    ///
    /// - Throws: `MediaFailure.recording` if it cannot be written, or exists and `overwrite` is false.
    init(_ path: String, overwrite: Bool, isPrivate: Bool = false) throws(MediaFailure) {
        self.path = path
        do throws(OpeningError) {
            made = try Self.opened(path, O_CREAT | O_EXCL, isPrivate: isPrivate)
        } catch {
            guard error.code == EEXIST else { throw Self.unwritable(path, error) }
            guard overwrite else {
                throw .recording(
                    message: "\(path) exists already",
                    hint: "choose another name, or replace it with --overwrite"
                )
            }
            made = nil
            do throws(OpeningError) { _ = try Self.opened(path) } catch {
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

    private static func opened(
        _ path: String,
        _ flags: Int32 = 0,
        isPrivate: Bool = false
    ) throws(OpeningError) -> WritableFile {
        let flags = O_WRONLY | O_CLOEXEC | O_NONBLOCK | flags
        let descriptor = Glibc.open(path, flags, isPrivate ? 0o600 : 0o666)
        guard descriptor >= 0 else { throw OpeningError(code: errno) }
        return WritableFile(taking: descriptor)
    }

    // MARK: Writing

    /// Returns the file that this reservation created; creates it again if it was removed.
    ///
    /// - Returns: the file; nil if another file or a link existed at the path, which the user wants to overwrite.
    /// - Throws: `MediaFailure.recording` if it cannot be written, or if another file took its place.
    func open(isPrivate: Bool) throws(MediaFailure) -> WritableFile? {
        guard let made else { return nil }
        if made.isPresent(at: path) { return made }
        guard FileIdentity(path: path) == nil else {
            throw .recording(
                message: "\(path) was replaced by another file",
                hint: "record to a folder in which nobody else can write"
            )
        }
        return try Self.open(path, overwrite: false, isPrivate: isPrivate)
    }

    /// Opens a path that was not reserved, and creates the file if there is none; follows no link.
    ///
    /// - Throws: `MediaFailure.recording` if it cannot be written, or exists and `overwrite` is false.
    static func open(_ path: String, overwrite: Bool, isPrivate: Bool) throws(MediaFailure) -> WritableFile {
        do throws(OpeningError) {
            let flags = O_CREAT | O_NOFOLLOW | (overwrite ? 0 : O_EXCL)
            return try opened(path, flags, isPrivate: isPrivate)
        } catch { throw unwritable(path, error) }
    }

    private static func unwritable(_ path: String, _ error: OpeningError) -> MediaFailure {
        .recording(
            message: "\(path) cannot be written: \(String(cString: strerror(error.code)))",
            hint: "check that its folder exists and is writable"
        )
    }

    /// Removes the file if this reservation created it and it is still empty.
    func removeIfEmpty() {
        guard let made, made.isPresent(at: path), made.size == 0 else { return }
        try? FileManager.default.removeItem(atPath: path)
    }
}
