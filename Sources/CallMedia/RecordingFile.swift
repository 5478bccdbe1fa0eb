package import CallCore
internal import FoundationEssentials
internal import Glibc

/// The place of a recording on disk, reserved before the call so that no call is held for nothing.
package struct RecordingFile: Hashable, Sendable {
    package let path: String
    package let container: Container
    private let overwrite: Bool
    /// Whether there was nothing at the path before.
    private let isNew: Bool

    /// Reserves `path`; a file that may be overwritten stays as it is until there is something to record.
    ///
    /// - Throws: `MediaFailure.recording` where it cannot be written, or exists and `overwrite` is false.
    package init(path: String, container: Container, overwrite: Bool) throws(MediaFailure) {
        self.path = path
        self.container = container
        self.overwrite = overwrite
        do throws(OpeningError) {
            try Self.touch(path, isNew: true)
            isNew = true
        } catch {
            guard error.code == EEXIST else { throw Self.unwritable(path, error) }
            guard overwrite else {
                throw .recording(
                    message: "\(path) exists already",
                    hint: "choose another name, or allow it with --overwrite"
                )
            }
            isNew = false
            do throws(OpeningError) { try Self.touch(path, isNew: false) } catch {
                throw Self.unwritable(path, error)
            }
        }
    }

    private struct OpeningError: Error {
        /// An `errno`.
        var code: Int32
    }

    private static func touch(_ path: String, isNew: Bool) throws(OpeningError) {
        let flags = O_WRONLY | O_CLOEXEC | O_NONBLOCK | (isNew ? O_CREAT | O_EXCL : 0)
        let descriptor = open(path, flags, 0o666)
        guard descriptor >= 0 else { throw OpeningError(code: errno) }
        close(descriptor)
    }

    private static func unwritable(_ path: String, _ error: OpeningError) -> MediaFailure {
        .recording(
            message: "\(path) cannot be written: \(String(cString: strerror(error.code)))",
            hint: "see whether its folder exists and you may write there"
        )
    }

    /// The path of the first file, then `name-2.mp4` and so on, past those that must not be overwritten.
    ///
    /// `number` is where to begin, and becomes the number taken.
    func nextPath(from number: inout Int) -> String {
        while true {
            let candidate = path(number: number)
            if number == 1 || overwrite || !FileManager.default.fileExists(atPath: candidate) {
                return candidate
            }
            number += 1
        }
    }

    func path(number: Int) -> String {
        guard number > 1, let dot = path.lastIndex(of: ".") else { return path }
        return "\(path[..<dot])-\(number)\(path[dot...])"
    }

    /// Leaves no empty file behind where nothing was recorded, and one that was there before alone.
    package func removeIfEmpty() {
        guard isNew, Self.size(of: path) == 0 else { return }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Whether both write to one file on disk.
    func isSame(as other: RecordingFile) -> Bool {
        var (mine, theirs) = (stat(), stat())
        guard stat(path, &mine) == 0, stat(other.path, &theirs) == 0 else { return path == other.path }
        return mine.st_dev == theirs.st_dev && mine.st_ino == theirs.st_ino
    }

    /// In bytes; 0 where there is no file.
    static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
