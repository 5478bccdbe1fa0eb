package import Basics
package import LiveCore

/// A recording made by the user, stored as a file.
package struct Recording: Hashable, Sendable {
    /// The folder of the file.
    package let folder: String
    /// The name of the file.
    package let name: String
    /// The title, which is the name of the file without time and extension.
    package let title: String
    package let began: Timestamp
    /// The size of the file in bytes.
    package let bytes: Int

    package init(folder: String, name: String, title: String, began: Timestamp, bytes: Int) {
        (self.folder, self.name, self.title) = (folder, name, title)
        (self.began, self.bytes) = (began, bytes)
    }

    package var path: String { "\(folder)/\(name)" }

    package var address: LiveAddress { .file(path) }
}
