extension AsyncStream where Element: Sendable {
    /// Runs `body` for each element, after cancelling the previous run and waiting for its end.
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
