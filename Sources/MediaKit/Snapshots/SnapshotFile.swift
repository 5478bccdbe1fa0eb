package import Basics
internal import FoundationEssentials
internal import GLibKit

/// The file for snapshots of the peer's video, or several files if its name contains placeholders.
package struct SnapshotFile: Hashable, Sendable {
    package enum Format: String, Hashable, Sendable, CaseIterable {
        case jpg, png

        /// Determines the image format from the extension of a path; nil for an unknown extension.
        package init?(path: String) {
            guard let dot = path.lastIndex(of: ".") else { return nil }
            let ending = path[path.index(after: dot)...].lowercased()
            self.init(rawValue: ending == "jpeg" ? "jpg" : ending)
        }

        var encoder: String { self == .jpg ? "jpegenc quality=90" : "pngenc" }
    }

    let format: Format
    /// The interval between snapshots; nil for a single one.
    package let interval: Duration?
    private let template: NameTemplate
    private let overwrite: Bool
    /// Whether only the user may read new files; true if the user specified no path.
    private let isPrivate: Bool
    private let reserved: ReservedPath?

    /// Reserves the path; if placeholders have no value yet, only checks whether the folder is writable.
    ///
    /// - Throws: `MediaFailure.recording` if it cannot be written, or exists and `overwrite` is false.
    package init(
        named template: NameTemplate,
        format: Format,
        interval: Duration?,
        overwrite: Bool,
        isPrivate: Bool = false
    ) throws(MediaFailure) {
        (self.template, self.format, self.interval) = (template, format, interval)
        self.overwrite = overwrite
        self.isPrivate = isPrivate
        if template.placeholders.isEmpty {
            reserved = try ReservedPath(template.path, overwrite: overwrite, isPrivate: isPrivate)
        } else {
            try ReservedPath.checkFolder(of: template.path)
            reserved = nil
        }
    }

    /// The requested path, in which placeholders without a value are still in braces.
    package var path: String { template.path }

    /// Returns the path of one snapshot.
    func path(peer: String?, time: String) -> String {
        template.filled([.peer: peer ?? "peer", .time: time]).path
    }

    /// Writes an image to `path`, atomically.
    ///
    /// - Throws: `MediaFailure.recording` if it cannot be written, or exists and must not be replaced.
    package func write(_ bytes: [UInt8], to path: String) throws {
        let isOurs = reserved != nil || overwrite
        guard isOurs || !FileManager.default.fileExists(atPath: path) else {
            throw MediaFailure.recording(
                message: "\(path) exists already",
                hint: "replace it with --overwrite"
            )
        }
        // The temporary file is in the same folder and has an unpredictable name.
        let part = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36)).part"
        do throws(SystemError) {
            try FileReplacement(of: path, part: part)
                .write(bytes, permissions: isPrivate ? 0o600 : 0o666, isSynced: false)
        } catch {
            throw MediaFailure.recording(
                message: "\(path) cannot be written: \(error.reason)",
                hint: "check that its folder is writable and the disk has space"
            )
        }
    }

    /// Removes the reserved file if no snapshot was taken.
    package func removeIfEmpty() { reserved?.removeIfEmpty() }
}
