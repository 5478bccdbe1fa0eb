/// The texts of a dialog of the desktop in which the user chooses a video file.
package struct FileDialog: Hashable, Sendable {
    package let title: String
    /// The name of the kind of files that are shown.
    package let kind: String

    package init(title: String, kind: String) { (self.title, self.kind) = (title, kind) }
}
