/// The member `from` of an event's first argument, by which peers name themselves to each other.
package enum SenderField: Hashable, Sendable {
    /// There is none, or it is no string.
    case none
    /// Where the string stands in the text, without its quotes.
    case text(Range<Int>, hasEscapes: Bool)
    /// There are several: some parsers read the first, others the last.
    case ambiguous

    /// The string, decoded; nil where there is none.
    package func decoded(in text: Span<UInt8>) -> String? {
        guard case .text(let range, _) = self else { return nil }
        let quoted = (range.lowerBound - 1..<range.upperBound + 1).map { text[$0] }
        return (try? JSON(parsing: quoted))?.stringValue
    }
}
