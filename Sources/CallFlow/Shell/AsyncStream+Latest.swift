extension AsyncStream where Element: Sendable {
    /// Runs `body` for each element until the next one arrives, by which time the previous run has ended.
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
