internal import Basics

/// A valid title of a recording.
package struct RecordingTitle: Hashable, Sendable {
    /// The maximum length in bytes; time and extension follow in a file name, which has at most 255.
    package static let maximum = 160

    package let text: String

    /// Creates a title from the text that the user has entered; nil if it is empty, too long or unsafe in a file
    /// name.
    package init?(_ text: String) {
        let trimmed = text.trimmingPrefix { $0.isWhitespace }
        let title = String(trimmed.reversed().drop { $0.isWhitespace }.reversed())
        guard let first = title.unicodeScalars.first, title.utf8.count <= Self.maximum,
            title.unicodeScalars.allSatisfy({ $0.isSafeInFileNames || Self.joiner == $0 })
        else { return nil }
        switch first {
        // A leading dot would hide the file, and a leading dash looks like a flag.
        case ".", "-", "~", Self.joiner: return nil
        default: break
        }
        switch first.properties.generalCategory {
        // A mark would combine with the slash before the name.
        case .nonspacingMark, .spacingMark, .enclosingMark: return nil
        default: self.text = title
        }
    }

    /// The zero-width joiner, which combines several emoji into one.
    private static let joiner: Unicode.Scalar = "\u{200D}"
}
