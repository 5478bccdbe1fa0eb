internal import GLibKit
internal import Glibc

/// A file that holds a key or a secret.
struct KeyFile: Hashable {
    /// The maximum length of a key file in bytes.
    private static let maximumLength = 64 << 10

    let path: String
    let bytes: [UInt8]
    /// The permissions of other users on the file.
    let openness: FileAccess

    /// Reads a key file.
    ///
    /// - Throws: `SettingText.Problem`, whose text does not contain the key.
    init(_ path: String) throws {
        self.path = path
        // O_NONBLOCK, because opening a pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.unreadable(path) }
        defer { close(descriptor) }
        guard let status = FileStatus(descriptor: descriptor) else { throw Self.unreadable(path) }
        guard status.isRegularFile else { throw SettingText.Problem("“\(path)” is not a regular file") }
        openness = FileAccess(rawValue: status.permissions)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: Self.maximumLength)
        while bytes.count <= Self.maximumLength {
            let count = read(descriptor, &chunk, chunk.count)
            guard count >= 0 else { throw Self.unreadable(path) }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        guard bytes.count <= Self.maximumLength else {
            throw SettingText.Problem("the file “\(path)” is too large for a key")
        }
        self.bytes = bytes
    }

    /// The bytes without trailing white space; nil if none are left.
    var secret: [UInt8]? {
        bytes.lastIndex { ![9, 10, 13, 32].contains($0) }.map { Array(bytes[...$0]) }
    }

    /// Checks that other users cannot write the file and, if the key is secret, cannot read it.
    ///
    /// - Throws: `Failure` with exit code 64.
    func checkAccess(isSecret: Bool = true) throws(Failure) {
        let excess = isSecret ? openness : openness.intersection(.write)
        guard excess.isEmpty else {
            throw .usage(
                "all users of this machine may \(excess.verbs) the key in “\(path)”",
                hint: "run \(excess.fixCommand(path)), and make a new key if others may know this one"
            )
        }
    }

    private static func unreadable(_ path: String) -> SettingText.Problem {
        SettingText.Problem("“\(path)” cannot be read: \(String(cString: strerror(errno)))")
    }
}
