internal import GLibKit
internal import Glibc

/// The permissions of other users on a file (the `o` bits of its mode).
struct FileAccess: OptionSet, Hashable {
    let rawValue: UInt32

    static let read = FileAccess(rawValue: UInt32(S_IROTH))
    static let write = FileAccess(rawValue: UInt32(S_IWOTH))

    init(rawValue: UInt32) { self.rawValue = rawValue & UInt32(S_IROTH | S_IWOTH) }

    /// Reads the permissions on the file at `path`; empty if there is no file.
    init(ofFileAt path: String) {
        self.init(rawValue: FileStatus(path: path)?.permissions ?? 0)
    }

    /// The permitted operations as text, such as “read and write”.
    var verbs: String {
        [(FileAccess.read, "read"), (.write, "write")].filter { contains($0.0) }.map(\.1)
            .joined(separator: " and ")
    }

    /// Creates the command that removes these permissions.
    func fixCommand(_ path: String) -> String {
        let bits = [(FileAccess.read, "r"), (.write, "w")].filter { contains($0.0) }.map(\.1).joined()
        return "`chmod o-\(bits) \(path)`"
    }
}
