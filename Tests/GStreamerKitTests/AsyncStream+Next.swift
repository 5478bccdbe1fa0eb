extension AsyncStream where Element: Sendable {
    /// Waits for the next element; nil if the stream has finished.
    func next() async -> Element? {
        for await element in self { return element }
        return nil
    }

    /// Collects the elements up to and including the first one that satisfies `isLast`.
    func collect(through isLast: (Element) -> Bool) async -> [Element] {
        var elements: [Element] = []
        for await element in self {
            elements.append(element)
            if isLast(element) { break }
        }
        return elements
    }
}
