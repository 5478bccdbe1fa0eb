internal import Glibc

/// The folder with the data of a server; only the server's user can access it.
package struct ServerFolder: Hashable, Sendable {
    /// The number of bytes of disk space that are reserved for essential operations such as sign-ins.
    private static let reserve: UInt64 = 100_000_000

    package let path: String

    package init(_ path: String) { self.path = path }

    /// Returns the default folder; nil if none of the environment variables is an absolute path.
    ///
    /// It is the folder of systemd's `StateDirectory=`, if any, or a folder in the user's data (XDG Base Directory
    /// Specification 0.8).
    package static func usual(_ environment: [String: String]) -> ServerFolder? {
        func folder(_ variable: String, _ rest: String) -> ServerFolder? {
            environment[variable].flatMap { $0.hasPrefix("/") ? ServerFolder("\($0)\(rest)") : nil }
        }
        // systemd separates several folders by colons.
        let state = environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
        if let state, state.hasPrefix("/") { return ServerFolder(state) }
        return folder("XDG_DATA_HOME", "/callrunner/server")
            ?? folder("HOME", "/.local/share/callrunner/server")
    }

    package func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Whether the disk has free space for more user data; also true if that is unknown.
    package var hasRoom: Bool { hasRoom(beyond: Self.reserve) }

    /// Whether the disk has more free space than a number of bytes; also true if that is unknown.
    package func hasRoom(beyond reserve: UInt64) -> Bool {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return true }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize) >= reserve
    }

    /// Whether the folder can be created: whether the user may write to its nearest parent that exists.
    package var canBeMade: Bool {
        var parent = path[...]
        while let end = parent.lastIndex(of: "/") {
            parent = parent[..<end]
            let name = parent.isEmpty ? "/" : String(parent)
            if access(name, F_OK) == 0 { return access(name, W_OK | X_OK) == 0 }
        }
        return access(".", W_OK | X_OK) == 0
    }

    /// Creates the folder and its parents with access for the user only.
    ///
    /// - Throws: `ServerStoreFailure`.
    package func make() throws(ServerStoreFailure) {
        for end in path.indices where end > path.startIndex && path[end] == "/" {
            mkdir(String(path[..<end]), 0o700)
        }
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw .unusable(path, String(cString: strerror(errno)))
    }

    /// Reads up to `limit` bytes from the beginning of a private file.
    ///
    /// - Returns: The content; nil if the file does not exist.
    /// - Throws: `ServerStoreFailure`, also if other users can read or write the file.
    package func secret(_ name: String, limit: Int = 65_536) throws(ServerStoreFailure) -> [UInt8]? {
        let descriptor = open(path(name), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .unusable(path(name), String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unusable(path(name), "it is not a regular file")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw .unusable(path(name), "other users may read or change it; run: chmod 600 \(path(name))")
        }
        var bytes = [UInt8](repeating: 0, count: min(limit, max(0, Int(status.st_size))))
        let count = read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw .unusable(path(name), String(cString: strerror(errno))) }
        return Array(bytes[..<count])
    }

    /// Creates a file that only the user can read.
    ///
    /// - Throws: `ServerStoreFailure`, also if the file exists.
    package func create(_ name: String, _ bytes: [UInt8]) throws(ServerStoreFailure) {
        let part = path(".\(name).\(UInt64.random(in: 0 ... .max))")
        defer { unlink(part) }
        let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .unusable(path(name), String(cString: strerror(errno))) }
        defer { close(descriptor) }
        // A hard link never replaces an existing file, and is created only when the file is complete.
        guard write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0,
            link(part, path(name)) == 0
        else { throw .unusable(path(name), String(cString: strerror(errno))) }
    }
}
