package import Basics
internal import Glibc

/// The file or numbered files of a recording.
///
/// The path of the first file is reserved in advance so that an unwritable path fails early.
package struct RecordingFile: Hashable, Sendable {
    package let container: Container
    /// The length of each segment; nil for a single file.
    package let segmentLength: Duration?
    private let template: NameTemplate
    private let overwrite: Bool
    /// Whether only the user may read new files; true if the user specified neither a path nor a folder.
    private let isPrivate: Bool
    /// The reserved path of the first file; nil if its name is not known in advance.
    private var reserved: ReservedPath?

    /// Reserves `path`; braces in it are literal.
    ///
    /// - Throws: `MediaFailure.recording` if it cannot be written, or exists and `overwrite` is false.
    package init(path: String, container: Container, overwrite: Bool) throws(MediaFailure) {
        try self.init(named: NameTemplate(literal: path), container: container, overwrite: overwrite)
    }

    /// Reserves the path of the first file.
    ///
    /// An existing file that may be overwritten is not changed before there is something to record. If any
    /// placeholder except `{segment}`, such as `{peer}`, has no value yet, this only checks whether the
    /// folder is writable.
    ///
    /// - Throws: `MediaFailure.recording`, like `init(path:container:overwrite:)`.
    package init(
        named template: NameTemplate,
        container: Container,
        overwrite: Bool,
        isPrivate: Bool = false,
        segmentLength: Duration? = nil
    ) throws(MediaFailure) {
        self.template = template
        self.container = container
        self.overwrite = overwrite
        self.isPrivate = isPrivate
        self.segmentLength = segmentLength
        let first = path(number: 1)
        guard template.placeholders.isSubset(of: [.segment]) else {
            try ReservedPath.checkFolder(of: first)
            return
        }
        reserved = try ReservedPath(first, overwrite: overwrite, isPrivate: isPrivate)
    }

    /// The path of the first file, in which placeholders without a value are still in braces.
    package var path: String { path(number: 1) }

    /// Returns the path of the next file: the first usable one of `name.mp4`, `name-2.mp4` and so on.
    ///
    /// - Parameters:
    ///   - number: the first number to try; set to the number used.
    ///   - peer: the peer's name.
    /// - Returns: a path at which nothing exists, not even a link, or at which a file may be overwritten.
    func nextPath(from number: inout Int, peer: String? = nil) -> String {
        while true {
            let candidate = path(number: number, peer: peer)
            var status = stat()
            let isFree = lstat(candidate, &status) != 0
            // The user has chosen only the path of the first file, so a link at any other path may be a trap.
            let isReplaceable = overwrite && status.st_mode & S_IFMT != S_IFLNK
            if candidate == reserved?.path || isFree || isReplaceable { return candidate }
            number += 1
        }
    }

    /// Opens the file at a path of `nextPath(from:peer:)`.
    ///
    /// - Returns: the file; nil if the reserved path had a file before, which the user wants to overwrite.
    /// - Throws: `MediaFailure.recording`.
    func open(_ path: String) throws(MediaFailure) -> WritableFile? {
        if let reserved, path == reserved.path { return try reserved.open(isPrivate: isPrivate) }
        return try ReservedPath.open(path, overwrite: overwrite, isPrivate: isPrivate)
    }

    func path(number: Int, peer: String? = nil) -> String {
        let path = template.filled([.segment: "\(number)"].merging(peer.map { [.peer: $0] } ?? [:]) { $1 })
            .path
        let isNumbered = number > 1 || segmentLength != nil
        guard isNumbered, !template.placeholders.contains(.segment), let dot = path.lastIndex(of: ".") else {
            return path
        }
        return "\(path[..<dot])-\(number)\(path[dot...])"
    }

    /// Removes the reserved file if nothing was recorded, but not a file that existed before.
    package func removeIfEmpty() { reserved?.removeIfEmpty() }

    /// Returns whether the first files of both recordings are the same file on disk or, if one of them does
    /// not exist, have the same path.
    package func isSame(as other: RecordingFile) -> Bool {
        var (mine, theirs) = (stat(), stat())
        guard stat(path, &mine) == 0, stat(other.path, &theirs) == 0 else { return path == other.path }
        return mine.st_dev == theirs.st_dev && mine.st_ino == theirs.st_ino
    }

    /// Returns whether both paths refer to the same existing file.
    package static func areSame(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(one, &first) == 0, stat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// Returns the size of a file in bytes; 0 if it does not exist.
    static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
