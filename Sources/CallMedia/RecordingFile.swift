package import CallCore
internal import FoundationEssentials
internal import Glibc

/// The place of a recording on disk, reserved before the call so that no call is held for nothing.
package struct RecordingFile: Hashable, Sendable {
    package let path: String
    package let container: Container

    /// Reserves `path`.
    ///
    /// - Throws: `MediaFailure.recording` where it cannot be written, or exists and `overwrite` is false.
    package init(path: String, container: Container, overwrite: Bool) throws(MediaFailure) {
        self.path = path
        self.container = container
        let exists = FileManager.default.fileExists(atPath: path)
        if exists, !overwrite {
            throw .recording(
                message: "\(path) exists already",
                hint: "choose another name, or allow it with --overwrite"
            )
        }
        guard FileManager.default.createFile(atPath: path, contents: nil) else {
            throw .recording(
                message: "\(path) cannot be written",
                hint: "see whether its folder exists and you may write there"
            )
        }
    }

    /// The first file's name, then `name-2.mp4` and so on.
    func path(number: Int) -> String {
        guard number > 1, let dot = path.lastIndex(of: ".") else { return path }
        return "\(path[..<dot])-\(number)\(path[dot...])"
    }

    /// Leaves no empty file behind where nothing was recorded.
    package func removeIfEmpty() {
        guard Self.size(of: path) == 0 else { return }
        try? FileManager.default.removeItem(atPath: path)
    }

    static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
