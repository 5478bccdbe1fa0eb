internal import CallCore

/// Edits single lines of a session description and leaves the others unchanged.
enum SessionDescriptionText {
    /// Returns the description with each line replaced by the result of `edit`, or removed if the result is
    /// nil.
    static func editing(_ description: String, _ edit: (Substring) -> String?) -> String {
        SessionDescription.lines(of: description).compactMap(edit).joined(separator: "\r\n")
    }
}
