extension AsyncStream where Element: Sendable {
    /// The next element, or nil where the stream has finished.
    func next() async -> Element? {
        for await element in self { return element }
        return nil
    }
}
