package import Basics
package import LiveCore

/// A recording that the user has made, as a file.
package struct Recording: Hashable, Sendable {
    /// The folder of the file.
    package let folder: String
    /// The name of the file.
    package let name: String
    /// The name without time and extension.
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
