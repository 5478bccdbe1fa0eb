internal import FoundationEssentials
internal import Glibc

/// A file that holds a key or a secret.
struct KeyFile: Hashable {
    /// In bytes; what is longer is no key.
    private static let maximumLength = 64 << 10

    let path: String
    let bytes: [UInt8]
    /// Whether everybody on this machine may read it.
    let isOpenToAll: Bool

    /// - Throws: `SettingText.Problem`, which does not tell what is in it.
    init(_ path: String) throws {
        self.path = path
        // Without waiting for somebody who writes, where it is a pipe.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.unreadable(path) }
        defer { close(descriptor) }
        let target = URL(filePath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: target) else {
            throw Self.unreadable(path)
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular else {
            throw SettingText.Problem("“\(path)” is no file")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: Self.maximumLength)
        while bytes.count <= Self.maximumLength {
            let count = read(descriptor, &chunk, chunk.count)
            guard count >= 0 else { throw Self.unreadable(path) }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        guard bytes.count <= Self.maximumLength else {
            throw SettingText.Problem("“\(path)” is too long for a key")
        }
        self.bytes = bytes
        isOpenToAll = (attributes[.posixPermissions] as? UInt ?? 0) & 0o004 != 0
    }

    /// The bytes without the white space at their end; nil where there are no others.
    var secret: [UInt8]? {
        bytes.lastIndex { ![9, 10, 13, 32].contains($0) }.map { Array(bytes[...$0]) }
    }

    /// Says so where everybody may read what should be a secret.
    func warn(_ console: Console) {
        guard isOpenToAll else { return }
        console.say("warning: everybody here may read \(path); `chmod o-r` keeps it secret", .emphasis)
    }

    private static func unreadable(_ path: String) -> SettingText.Problem {
        SettingText.Problem("“\(path)” cannot be read: \(String(cString: strerror(errno)))")
    }
}
