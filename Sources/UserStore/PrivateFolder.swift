package import Basics
internal import Glibc
internal import GLibKit

/// A folder whose files only the user can read; each write replaces a whole file.
package struct PrivateFolder: Hashable, Sendable {
    package let path: String

    /// Creates a reference to the folder at an absolute path; the folder is created when the first file is written.
    package init(_ path: String) { self.path = path }

    /// Returns the folder of callrunner's configuration (XDG Base Directory Specification 0.8); nil if
    /// neither `XDG_CONFIG_HOME` nor `HOME` is an absolute path.
    package static func configuration(_ environment: [String: String]) -> PrivateFolder? {
        inHome(environment, variable: "XDG_CONFIG_HOME", ".config")
    }

    /// Returns the folder for data that can be fetched again; nil if neither `XDG_CACHE_HOME` nor `HOME` is
    /// an absolute path.
    package static func cache(_ environment: [String: String]) -> PrivateFolder? {
        inHome(environment, variable: "XDG_CACHE_HOME", ".cache")
    }

    private static func inHome(
        _ environment: [String: String],
        variable: String,
        _ name: String
    ) -> PrivateFolder? {
        let base =
            environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? environment["HOME"].flatMap { $0.hasPrefix("/") ? "\($0)/\(name)" : nil }
        return base.map { PrivateFolder("\($0)/callrunner") }
    }

    /// Returns a folder within this one.
    package func folder(_ name: String) -> PrivateFolder { PrivateFolder(path(name)) }

    package func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - name: The name of the file.
    ///   - limit: The maximum size in bytes.
    /// - Returns: The content; nil if the file does not exist.
    /// - Throws: `StoreFailure` if it cannot be read, is not a regular file or is too large.
    package func read(_ name: String, limit: Int = 65_536) throws(StoreFailure) -> [UInt8]? {
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
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            guard count >= 0 else { throw unreadable(name, String(cString: strerror(errno))) }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
        throw unreadable(name, "it is too large")
    }

    /// Replaces a file atomically.
    ///
    /// - Throws: `StoreFailure`.
    package func write(_ bytes: [UInt8], to name: String) throws(StoreFailure) {
        try make()
        let part = path("\(Self.prefix(name))\(UInt64.random(in: 0 ... .max))")
        do throws(SystemError) {
            try FileReplacement(of: path(name), part: part).write(bytes, permissions: 0o600, isSynced: true)
        } catch {
            throw StoreFailure(
                message: "\(path(name)) cannot be written: \(error.reason)",
                hint: "check the free disk space and the permissions of the folder"
            )
        }
    }

    /// Removes a file, and partial copies that a power failure left behind.
    ///
    /// - Throws: `StoreFailure`.
    package func remove(_ name: String) throws(StoreFailure) {
        removeParts(of: name)
        guard unlink(path(name)) != 0, errno != ENOENT, errno != ENOTDIR else { return }
        throw StoreFailure(
            message: "\(path(name)) cannot be removed: \(String(cString: strerror(errno)))",
            hint: "remove the file yourself"
        )
    }

    // MARK: Steps

    private func unreadable(_ name: String, _ reason: String) -> StoreFailure {
        StoreFailure(
            message: "\(path(name)) cannot be read: \(reason)",
            hint: "move it elsewhere, or check its permissions"
        )
    }

    /// Creates the prefix for the names of a file's partial copies.
    private static func prefix(_ name: String) -> String { ".\(name)." }

    /// Removes the partial copies of a file that interrupted writes left behind.
    func removeParts(of name: String) { for part in parts(of: name) { unlink(path(part)) } }

    private func parts(of name: String) -> [String] {
        names.filter { $0.hasPrefix(Self.prefix(name)) }
    }

    /// The names of the files and folders in this folder; empty if it does not exist or cannot be read.
    package var names: [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: Int(entry.pointee.d_reclen)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Creates the folder and its parents with access for the user only (XDG Base Directory Specification 0.8).
    ///
    /// - Throws: `StoreFailure`.
    package func make() throws(StoreFailure) {
        for end in path.indices where end > path.startIndex && path[end] == "/" {
            mkdir(String(path[..<end]), 0o700)
        }
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw StoreFailure(
            message: "the folder \(path) cannot be created: \(String(cString: strerror(errno)))",
            hint: "create it, or set XDG_CONFIG_HOME to a folder in which you can write"
        )
    }
}
