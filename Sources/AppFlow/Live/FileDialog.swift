/// The texts of a desktop dialog in which the user chooses a file.
package struct FileDialog: Hashable, Sendable {
    package let title: String
    /// The displayed name of the file type to choose from.
    package let kind: String

    package init(title: String, kind: String) { (self.title, self.kind) = (title, kind) }
}
