/// An unordered pair of people, who share one conversation.
package struct ChatPair: Hashable, Sendable {
    package let low: Int
    package let high: Int

    package init(_ one: Int, _ other: Int) { (low, high) = (min(one, other), max(one, other)) }

    package func other(than person: Int) -> Int { person == low ? high : low }
}
