extension AsyncStream where Element: Sendable {
    /// Runs `body` for each element; before the next run, the previous one is cancelled and has ended.
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
