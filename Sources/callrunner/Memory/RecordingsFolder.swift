internal import AppFlow
internal import Basics
internal import FoundationEssentials
internal import GLibKit
internal import Glibc

/// The folder in which the app saves recordings; other files in it are ignored.
struct RecordingsFolder: Hashable {
    /// The largest number of recordings that are listed.
    static let maximum = 500
    private static let endings = ["mkv", "mp4", "webm"]

    /// The parts of a file name such as `1-Bob-20260131T120000Z-2.mkv`.
    private struct Name {
        var title: String
        /// The time and all that follows it, such as `20260131T120000Z-2.mkv`.
        let rest: String
        let began: Timestamp

        /// Parses the default name of a recording; nil for any other name.
        init?(_ name: String) {
            let parts = name.split(separator: ".")
            guard parts.count > 1, let ending = parts.last, endings.contains(String(ending)) else {
                return nil
            }
            // Of several recordings in one second, all but the first end in a number.
            for start in name.indices.reversed() {
                guard start == name.startIndex || name[name.index(before: start)] == "-",
                    let began = Self.time(name[start...].prefix(16)),
                    Self.isNumber(name[start...].dropFirst(16).dropLast(ending.count + 1))
                else { continue }
                title = String(name[..<start].dropLast())
                (rest, self.began) = (String(name[start...]), began)
                return
            }
            return nil
        }

        var text: String { title.isEmpty ? rest : "\(title)-\(rest)" }

        /// Parses a time such as `20260131T120000Z`.
        private static func time(_ text: Substring) -> Timestamp? {
            let digits = Array(text)
            guard digits.count == 16, digits[8] == "T", digits[15] == "Z" else { return nil }
            func part(_ range: Range<Int>) -> String { String(digits[range]) }
            return Timestamp(
                "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(9..<11)):\(part(11..<13)):\(part(13..<15))Z"
            )
        }

        /// Whether a text is empty or a number after a dash.
        private static func isNumber(_ text: Substring) -> Bool {
            text.isEmpty || text.count > 1 && text.first == "-" && text.dropFirst().allSatisfy(\.isNumber)
        }
    }

    let path: String

    /// Lists the recordings, the newest first.
    ///
    /// A folder that cannot be read counts as empty.
    func list() -> [Recording] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let found = names.compactMap { name in Name(name).map { (parts: $0, name: name) } }
        let newest = found.sorted { ($1.parts.began, $1.name) < ($0.parts.began, $0.name) }
        return newest.prefix(Self.maximum).compactMap { parts, name in recording(parts, name) }
    }

    private func recording(_ parts: Name, _ name: String) -> Recording? {
        let path = "\(path)/\(name)"
        guard let status = FileStatus(path: path), status.isRegularFile else { return nil }
        return Recording(path: path, title: parts.title, began: parts.began, bytes: status.size)
    }

    /// Gives a recording another title, and never replaces another file.
    ///
    /// - Throws: `RecordingProblem`.
    func rename(_ recording: Recording, to title: RecordingTitle) throws(RecordingProblem) -> Recording {
        guard let slash = recording.path.lastIndex(of: "/"),
            var parts = Name(String(recording.path[recording.path.index(after: slash)...]))
        else { throw .failed("\(recording.path) is no recording of the app") }
        parts.title = title.text
        let new = "\(recording.path[...slash])\(parts.text)"
        guard Self.move(recording.path, to: new) else {
            throw errno == EEXIST ? .taken : Self.problem("renamed")
        }
        return Recording(path: new, title: title.text, began: recording.began, bytes: recording.bytes)
    }

    /// Renames a file unless one with the new name exists; `errno` tells why not.
    private static func move(_ path: String, to new: String) -> Bool {
        // After `kill -9` between both steps, the file has two names.
        if link(path, new) == 0 { return unlink(path) == 0 }
        guard errno == EPERM || errno == EOPNOTSUPP else { return false }
        // The file system has no hard links, so the new name is reserved.
        let descriptor = open(new, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        guard Glibc.rename(path, new) != 0 else { return true }
        let reason = errno
        unlink(new)
        errno = reason
        return false
    }

    /// Deletes a recording for good.
    ///
    /// - Throws: `RecordingProblem`.
    func delete(_ recording: Recording) throws(RecordingProblem) {
        guard unlink(recording.path) == 0 else { throw Self.problem("deleted") }
    }

    /// The problem that `errno` tells.
    private static func problem(_ what: String) -> RecordingProblem {
        .failed("it cannot be \(what): \(String(cString: strerror(errno)))")
    }
}
