internal import CallFlow
internal import Glibc

/// The user's configuration folder, with files that only the user can read.
struct ConfigFolder {
    let path: String

    /// The maximum size in bytes of a file to read; the app writes no larger file.
    private static let maximumBytes = 65_536

    /// Locates the folder that contains `config.json`; nil if no home or configuration folder is known.
    init?(environment: [String: String]) {
        guard let file = SettingsFile.path(in: environment), let slash = file.lastIndex(of: "/") else {
            return nil
        }
        path = String(file[..<slash])
    }

    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Reads a file; nil if it does not exist.
    ///
    /// - Throws: `AppMemoryFailure` if it cannot be read, is no regular file or is too large.
    func read(_ name: String) throws(AppMemoryFailure) -> [UInt8]? {
        // O_NONBLOCK, because opening a pipe would wait for a writer.
        let descriptor = open(path(name), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw unreadable(name, String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        // Seeking fails on a pipe, and reading fails on a folder.
        guard lseek(descriptor, 0, SEEK_CUR) == 0 else { throw unreadable(name, "it is not a regular file") }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: Self.maximumBytes)
        while bytes.count <= Self.maximumBytes {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            guard count >= 0 else { throw unreadable(name, String(cString: strerror(errno))) }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
        throw unreadable(name, "it is too large")
    }

    /// Replaces a file atomically.
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
                hint: "check the free disk space and the permissions of the folder"
            )
        }
    }

    /// Removes a file, and the partial copies of it that a power failure left behind.
    ///
    /// - Throws: `AppMemoryFailure`.
    func remove(_ name: String) throws(AppMemoryFailure) {
        for part in parts(of: name) { unlink(path(part)) }
        guard unlink(path(name)) != 0, errno != ENOENT, errno != ENOTDIR else { return }
        throw AppMemoryFailure(
            message: "\(path(name)) cannot be removed: \(String(cString: strerror(errno)))",
            hint: "remove the file yourself"
        )
    }

    // MARK: Steps

    /// An error with the text of `errno` at the time of its creation.
    private struct SystemError: Error {
        let reason = String(cString: strerror(errno))
    }

    private func unreadable(_ name: String, _ reason: String) -> AppMemoryFailure {
        AppMemoryFailure(
            message: "\(path(name)) cannot be read: \(reason)",
            hint: "move it elsewhere, or check its permissions"
        )
    }

    /// Returns the prefix for the names of a file's partial copies.
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

    /// Creates the folder and its parents, accessible only to the user (XDG Base Directory Specification
    /// 0.8).
    private func make() throws(AppMemoryFailure) {
        for end in path.indices where end > path.startIndex && path[end] == "/" {
            mkdir(String(path[..<end]), 0o700)
        }
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw AppMemoryFailure(
            message: "the folder \(path) cannot be created: \(String(cString: strerror(errno)))",
            hint: "create it, or set XDG_CONFIG_HOME"
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
