extension AsyncStream where Element: Sendable {
    /// The next element, or nil where the stream has finished.
    func next() async -> Element? {
        for await element in self { return element }
        return nil
    }

    /// The elements up to and including the first that `isLast` accepts.
    func collect(through isLast: (Element) -> Bool) async -> [Element] {
        var elements: [Element] = []
        for await element in self {
            elements.append(element)
            if isLast(element) { break }
        }
        return elements
    }
}
