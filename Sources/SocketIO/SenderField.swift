internal import Basics

/// The `from` member of an event's first argument, by which peers identify themselves to each other.
package enum SenderField: Hashable, Sendable {
    /// The member is missing or not a string.
    case none
    /// The range of the string in the text, without quotes.
    case text(Range<Int>, hasEscapes: Bool)
    /// The member occurs more than once; some parsers use the first occurrence, others the last.
    case ambiguous

    /// Decodes the string; nil for `.none` and `.ambiguous`.
    package func decoded(in text: Span<UInt8>) -> String? {
        guard case .text(let range, _) = self else { return nil }
        let quoted = (range.lowerBound - 1..<range.upperBound + 1).map { text[$0] }
        return (try? JSON(parsing: quoted))?.stringValue
    }
}
