internal import Basics

/// A participant's name: a visible text of 1–64 characters, at most 256 bytes of UTF-8.
package struct Username: Hashable, Sendable, CustomStringConvertible {
    package static let maximumLength = 64

    /// The maximum length in bytes of an invalid text that is trimmed before an error message quotes it.
    private static let longestQuoted = 1024
    /// The maximum length in bytes of a text that can become a name by trimming and normalization.
    package static let longestForm = 1024

    package let value: String
    /// The name without invisible characters such as joiners.
    package let visiblePart: String

    /// Creates a name from a text, which is trimmed and normalized.
    ///
    /// - Throws: `IdentityError.username` for an empty, too long or unprintable name.
    package init(_ text: some StringProtocol) throws(IdentityError) {
        guard let name = VisibleText(text, maximum: Self.maximumLength) else {
            guard text.utf8.count <= Self.longestQuoted else { throw .username(text.printableBeginning) }
            let trimmed = VisibleText.trimmed(String(text).unicodeScalars)
            throw .username(trimmed.printable(limit: 80))
        }
        value = name.value
        visiblePart = VisibleText.visiblePart(of: name.value)
    }

    package var description: String { value }
}
