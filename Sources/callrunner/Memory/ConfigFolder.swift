internal import CallFlow
internal import Glibc

/// The user's folder for what the app remembers, and files in it that nobody else reads.
struct ConfigFolder {
    let path: String

    /// More is nothing of ours, in bytes.
    private static let mostBytes = 65_536

    /// Beside the settings of the command line; nil where the user has no such folder.
    init?(environment: [String: String]) {
        guard let file = SettingsFile.path(in: environment), let slash = file.lastIndex(of: "/") else {
            return nil
        }
        path = String(file[..<slash])
    }

    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Nil where there is no such file.
    ///
    /// - Throws: `AppMemoryFailure` for one that cannot be read, or is none of ours.
    func read(_ name: String) throws(AppMemoryFailure) -> [UInt8]? {
        // Without waiting for somebody who writes, where it is a pipe.
        let descriptor = open(path(name), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw unreadable(name, String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        // A pipe has no place to seek to, and a folder nothing to read.
        guard lseek(descriptor, 0, SEEK_CUR) == 0 else { throw unreadable(name, "it is no file") }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: Self.mostBytes)
        while bytes.count <= Self.mostBytes {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            guard count >= 0 else { throw unreadable(name, String(cString: strerror(errno))) }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
        throw unreadable(name, "it is too large")
    }

    /// Puts these bytes in the file's place, all or none of them.
    ///
    /// - Throws: `AppMemoryFailure`.
    func write(_ bytes: [UInt8], to name: String) throws(AppMemoryFailure) {
        try make()
        let part = path("\(Self.prefix(name))\(UInt64.random(in: 0 ... .max))")
        do throws(SystemError) {
            try Self.write(bytes, toNew: part)
            guard rename(part, path(name)) == 0 else { throw SystemError() }
        } catch {
            unlink(part)
            throw AppMemoryFailure(
                message: "\(path(name)) cannot be written: \(error.reason)",
                hint: "see whether there is room, and the folder is yours"
            )
        }
    }

    /// Removes the file, and what writing it may have left when the machine went down.
    ///
    /// - Throws: `AppMemoryFailure`.
    func remove(_ name: String) throws(AppMemoryFailure) {
        for part in parts(of: name) { unlink(path(part)) }
        guard unlink(path(name)) != 0, errno != ENOENT, errno != ENOTDIR else { return }
        throw AppMemoryFailure(
            message: "\(path(name)) cannot be removed: \(String(cString: strerror(errno)))",
            hint: "remove it yourself"
        )
    }

    // MARK: Steps

    /// An `errno`, as it was when this was made.
    private struct SystemError: Error {
        let reason = String(cString: strerror(errno))
    }

    private func unreadable(_ name: String, _ reason: String) -> AppMemoryFailure {
        AppMemoryFailure(message: "\(path(name)) cannot be read: \(reason)", hint: "move it away")
    }

    /// What a file is called until it is whole.
    private static func prefix(_ name: String) -> String { ".\(name)." }

    private func parts(of name: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let found = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: Int(entry.pointee.d_reclen)) {
                    String(cString: $0)
                }
            }
            if found.hasPrefix(Self.prefix(name)) { names.append(found) }
        }
        return names
    }

    /// Makes the folder and those around it, for the user alone (XDG Base Directory Specification 0.8).
    private func make() throws(AppMemoryFailure) {
        for end in path.indices where end > path.startIndex && path[end] == "/" {
            mkdir(String(path[..<end]), 0o700)
        }
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw AppMemoryFailure(
            message: "the folder \(path) cannot be made: \(String(cString: strerror(errno)))",
            hint: "make it, or set XDG_CONFIG_HOME"
        )
    }

    private static func write(_ bytes: [UInt8], toNew path: String) throws(SystemError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemError() }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw SystemError() }
            rest = rest.dropFirst(written)
        }
        guard fsync(descriptor) == 0 else { throw SystemError() }
    }
}
