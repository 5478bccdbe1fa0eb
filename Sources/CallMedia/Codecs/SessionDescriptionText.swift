internal import CallCore

/// Edits of a session description's text, of which everything else is kept as it is.
enum SessionDescriptionText {
    /// The description with each line replaced by what `edit` gives for it, or left out where that is nil.
    static func editing(_ description: String, _ edit: (Substring) -> String?) -> String {
        SessionDescription.lines(of: description).compactMap(edit).joined(separator: "\r\n")
    }
}
