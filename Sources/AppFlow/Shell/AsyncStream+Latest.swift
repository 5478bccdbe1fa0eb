extension AsyncStream where Element: Sendable {
    /// Runs `body` for each element, after cancelling the previous run and waiting for its end.
    package func forLatest(_ body: @escaping @Sendable (Element) async -> Void) async {
        var iterator = makeAsyncIterator()
        var element = await iterator.next()
        while let current = element {
            element = await withTaskGroup(of: Void.self) { group in
                group.addTask { await body(current) }
                defer { group.cancelAll() }
                return await iterator.next()
            }
        }
    }
}
