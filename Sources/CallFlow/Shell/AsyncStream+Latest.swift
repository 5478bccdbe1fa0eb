extension AsyncStream where Element: Sendable {
    /// Does something for each element until the next one comes; what was done for the one before has ended by then.
    package func forLatest(_ body: @escaping @Sendable (Element) async -> Void) async {
        var latest: Task<Void, Never>?
        for await element in self {
            latest?.cancel()
            await latest?.value
            latest = Task { await body(element) }
        }
        latest?.cancel()
        await latest?.value
    }
}
