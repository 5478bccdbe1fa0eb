package import CallCore
internal import FoundationEssentials
internal import Glibc

/// The place of a recording on disk, reserved before the call so that no call is held for nothing.
package struct RecordingFile: Hashable, Sendable {
    package let container: Container
    /// How long each file of it is; nil for one file.
    package let segmentLength: Duration?
    private let template: NameTemplate
    private let overwrite: Bool
    /// Whether only the user may read what is written: in folders that nobody named.
    private let isPrivate: Bool
    /// The first file's, where its name is known.
    private var reserved: ReservedPath?

    /// Reserves `path` as it is.
    ///
    /// - Throws: `MediaFailure.recording` where it cannot be written, or exists and `overwrite` is false.
    package init(path: String, container: Container, overwrite: Bool) throws(MediaFailure) {
        try self.init(named: NameTemplate(literal: path), container: container, overwrite: overwrite)
    }

    /// Reserves the first file's path, a file that may be overwritten staying as it is until there is
    /// something to record; where the name waits for the peer's, looks whether its folder can be written.
    ///
    /// - Throws: as `init(path:container:overwrite:)`.
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

    /// The first file's; what is not known yet stands in braces.
    package var path: String { path(number: 1) }

    /// The path of the first file, then `name-2.mp4` and so on, past those that must not be overwritten.
    ///
    /// `number` is where to begin, and becomes the number taken; `peer` is the peer's name.
    func nextPath(from number: inout Int, peer: String? = nil) -> String {
        while true {
            let candidate = path(number: number, peer: peer)
            let isOurs = candidate == reserved?.path
            if isOurs || overwrite || !FileManager.default.fileExists(atPath: candidate) { return candidate }
            number += 1
        }
    }

    /// Makes the file at a path that is about to be written, where only the user may read it.
    ///
    /// - Throws: `MediaFailure.recording`.
    func prepare(_ path: String) throws(MediaFailure) {
        guard isPrivate, path != reserved?.path else { return }
        _ = try ReservedPath(path, overwrite: overwrite, isPrivate: true)
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

    /// Leaves no empty file behind where nothing was recorded, and one that was there before alone.
    package func removeIfEmpty() { reserved?.removeIfEmpty() }

    /// Whether both write to one file on disk.
    func isSame(as other: RecordingFile) -> Bool {
        var (mine, theirs) = (stat(), stat())
        guard stat(path, &mine) == 0, stat(other.path, &theirs) == 0 else { return path == other.path }
        return mine.st_dev == theirs.st_dev && mine.st_ino == theirs.st_ino
    }

    /// Whether both paths lead to one file that exists.
    package static func areSame(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(one, &first) == 0, stat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// In bytes; 0 where there is no file.
    static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
