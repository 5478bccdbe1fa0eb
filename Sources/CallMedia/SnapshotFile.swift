package import CallCore
internal import FoundationEssentials

/// Where pictures of the peer are kept, reserved before the call.
package struct SnapshotFile: Hashable, Sendable {
    package enum Format: String, Hashable, Sendable, CaseIterable {
        case jpg, png

        /// - Parameter path: its extension decides; nil for any other.
        package init?(path: String) {
            guard let dot = path.lastIndex(of: ".") else { return nil }
            let ending = path[path.index(after: dot)...].lowercased()
            self.init(rawValue: ending == "jpeg" ? "jpg" : ending)
        }

        var encoder: String { self == .jpg ? "jpegenc quality=90" : "pngenc" }
    }

    let format: Format
    /// How long until the next one; nil for one alone.
    package let interval: Duration?
    private let template: NameTemplate
    private let overwrite: Bool
    private let reserved: ReservedPath?

    /// Reserves the path, or, where the name has the time or the peer in it, looks whether its folder can
    /// be written.
    ///
    /// - Throws: `MediaFailure.recording` where it cannot be written, or exists and `overwrite` is false.
    package init(
        named template: NameTemplate,
        format: Format,
        interval: Duration?,
        overwrite: Bool
    ) throws(MediaFailure) {
        (self.template, self.format, self.interval) = (template, format, interval)
        self.overwrite = overwrite
        if template.placeholders.isEmpty {
            reserved = try ReservedPath(template.path, overwrite: overwrite)
        } else {
            try ReservedPath.checkFolder(of: template.path)
            reserved = nil
        }
    }

    /// As it was asked for; what is not known yet stands in braces.
    package var path: String { template.path }

    /// The path of one picture.
    func path(peer: String?, time: String) -> String {
        template.filled([.peer: peer ?? "peer", .time: time]).path
    }

    /// Replaces the file at `path`, whole or not at all.
    ///
    /// - Throws: where it cannot be written, or stands there and must not be replaced.
    func write(_ bytes: [UInt8], to path: String) throws {
        let isOurs = reserved != nil || overwrite
        guard isOurs || !FileManager.default.fileExists(atPath: path) else {
            throw MediaFailure.recording(message: "\(path) exists already", hint: "allow it with --overwrite")
        }
        try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// Leaves no empty file behind where no picture came.
    package func removeIfEmpty() { reserved?.removeIfEmpty() }
}
