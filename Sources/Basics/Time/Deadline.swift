/// Runs `body`, and cancels it if it has not returned within `limit`.
///
/// - Returns: The result of `body`; nil after a timeout.
/// - Throws: The error of `body`, or `CancellationError` if the calling task is cancelled first.
package func withDeadline<Result: Sendable>(
    _ limit: Duration,
    clock: any Clock<Duration> = ContinuousClock(),
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result? {
    try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await clock.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
    }
}
