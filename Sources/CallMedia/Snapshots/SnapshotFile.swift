package import CallCore
internal import FoundationEssentials
internal import Glibc

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
    /// Whether only the user may read what is written: in folders that nobody named.
    private let isPrivate: Bool
    private let reserved: ReservedPath?

    /// Reserves the path, or, where the name has the time or the peer in it, looks whether its folder can
    /// be written.
    ///
    /// - Throws: `MediaFailure.recording` where it cannot be written, or exists and `overwrite` is false.
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
        // Beside it, under a name that nobody can know and nobody has taken.
        let part = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36)).part"
        do throws(SystemError) {
            try Self.write(bytes, toNew: part, mode: isPrivate ? 0o600 : 0o666)
            guard rename(part, path) == 0 else { throw SystemError() }
        } catch {
            unlink(part)
            throw MediaFailure.recording(
                message: "\(path) cannot be written: \(error.reason)",
                hint: "see whether its folder can be written, and has room"
            )
        }
    }

    /// An `errno`, as it was when this was made.
    private struct SystemError: Error {
        let reason = String(cString: strerror(errno))
    }

    private static func write(_ bytes: [UInt8], toNew path: String, mode: mode_t) throws(SystemError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw SystemError() }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw SystemError() }
            rest = rest.dropFirst(written)
        }
    }

    /// Leaves no empty file behind where no picture came.
    package func removeIfEmpty() { reserved?.removeIfEmpty() }
}
