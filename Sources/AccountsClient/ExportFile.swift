internal import AccountsCore
internal import Glibc

/// A file with the exported data of a user.
enum ExportFile {
    /// Returns whether a file ends as a complete export does.
    static func isComplete(_ path: String) -> Bool {
        let end = Array(ExportEnd.text.utf8)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let length = lseek(descriptor, 0, SEEK_END)
        var tail = [UInt8](repeating: 0, count: end.count)
        return pread(descriptor, &tail, end.count, length - off_t(end.count)) == end.count && tail == end
    }
}
