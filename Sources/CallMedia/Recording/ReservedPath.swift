internal import CallCore
internal import FoundationEssentials
internal import Glibc

/// A file's place on disk, taken before the call so that no call is held for nothing.
struct ReservedPath: Hashable, Sendable {
    let path: String
    /// The file that was made here; nil where something was at the path before.
    private let made: FileIdentity?

    /// Takes `path`; a file that may be overwritten stays as it is until there is something to write.
    ///
    /// Only the user reads a new file that `isPrivate`; others follow the process's umask.
    ///
    /// - Throws: `MediaFailure.recording` where it cannot be written, or exists and `overwrite` is false.
    init(_ path: String, overwrite: Bool, isPrivate: Bool = false) throws(MediaFailure) {
        self.path = path
        do throws(OpeningError) {
            made = try Self.touch(path, isNew: true, isPrivate: isPrivate)
        } catch {
            guard error.code == EEXIST else { throw Self.unwritable(path, error) }
            guard overwrite else {
                throw .recording(
                    message: "\(path) exists already",
                    hint: "choose another name, or allow it with --overwrite"
                )
            }
            made = nil
            do throws(OpeningError) { _ = try Self.touch(path, isNew: false) } catch {
                throw Self.unwritable(path, error)
            }
        }
    }

    /// Looks whether a file can be made beside `path`, whose name is not known yet.
    ///
    /// - Throws: `MediaFailure.recording` where none can.
    static func checkFolder(of path: String) throws(MediaFailure) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard access(folder, W_OK | X_OK) == 0 else { throw unwritable(path, OpeningError(code: errno)) }
    }

    private struct OpeningError: Error {
        /// An `errno`.
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
            hint: "see whether its folder exists and you may write there"
        )
    }

    /// Leaves no empty file behind where nothing was written, and one that was there before alone.
    func removeIfEmpty() {
        guard made != nil, FileIdentity(path: path) == made, RecordingFile.size(of: path) == 0 else { return }
        try? FileManager.default.removeItem(atPath: path)
    }
}
