package import Basics
internal import GLibKit
internal import Glibc

/// A cache of data that can be fetched again, in a folder with a size limit: the least recently used entries
/// are removed first.
///
/// Its methods block during disk access, so it should be used by an actor with its own thread.
package struct ClientCache: Sendable {
    private let folder: PrivateFolder
    /// The maximum size of all entries in bytes.
    private let limit: Int
    /// The fraction of the limit to which the entries are reduced when they exceed it, so that the next writes need not
    /// remove any.
    private static let target = 0.8

    /// Creates a cache in the folder; `limit` is the maximum size of all entries in bytes.
    package init(_ folder: PrivateFolder, limit: Int) {
        (self.folder, self.limit) = (folder, limit)
    }

    /// Reads an entry and marks it as used; nil if there is none or it cannot be read.
    package func read(_ key: String) -> [UInt8]? {
        let name = Self.name(key)
        guard let bytes = try? folder.read(name, limit: limit) else { return nil }
        // If the time cannot be set, the entry is still usable.
        utimensat(AT_FDCWD, folder.path(name), nil, 0)
        return bytes
    }

    /// Stores an entry and removes others if the limit is exceeded.
    ///
    /// An entry that alone exceeds the limit is not stored, and an older one with this key is removed.
    ///
    /// - Throws: `StoreFailure`.
    package func write(_ bytes: [UInt8], for key: String) throws(StoreFailure) {
        guard bytes.count <= limit else { return remove(key) }
        try folder.write(bytes, to: Self.name(key))
        trim()
    }

    /// Removes an entry.
    package func remove(_ key: String) { unlink(folder.path(Self.name(key))) }

    /// Removes all entries, and files that an interrupted write left behind.
    package func removeAll() { for name in folder.names { unlink(folder.path(name)) } }

    private func trim() {
        var entries = folder.names.compactMap { name in
            FileStatus(path: folder.path(name)).map { (name: name, status: $0) }
        }
        var size = entries.reduce(0) { $0 + $1.status.size }
        guard size > limit else { return }
        entries.sort { $0.status.modified < $1.status.modified }
        for entry in entries {
            guard Double(size) > Double(limit) * Self.target else { return }
            unlink(folder.path(entry.name))
            size -= entry.status.size
        }
    }

    /// Returns the file name of an entry, which reveals nothing of the key and is valid for any key.
    private static func name(_ key: String) -> String { Digest.sha256(key) }
}
