extension AsyncStream where Element: Sendable {
    /// Waits for the next element; nil if the stream has finished.
    func next() async -> Element? {
        for await element in self { return element }
        return nil
    }
}
