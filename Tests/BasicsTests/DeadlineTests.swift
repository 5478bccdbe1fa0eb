import Basics
import Synchronization
import Testing

@Suite("Deadline", .timeLimit(.minutes(1)))
struct DeadlineTests {
    private struct BodyError: Error {}

    @Test("A result in time is returned, and the clock is no longer waited for")
    func inTime() async throws {
        #expect(try await withDeadline(.seconds(3600)) { 1 } == 1)
    }

    @Test("When the time is over, the body is cancelled and the result is nil")
    func late() async throws {
        let wasCancelled = Mutex(false)
        let result: Void? = try await withDeadline(.zero) {
            for await _ in AsyncStream<Void>.makeStream().stream {}
            wasCancelled.withLock { $0 = Task.isCancelled }
        }
        #expect(result == nil && wasCancelled.withLock(\.self))
    }

    @Test("An error of the body is thrown")
    func failure() async {
        await #expect(throws: BodyError.self) {
            try await withDeadline(.seconds(3600)) { throw BodyError() }
        }
    }

    @Test("Cancelling the caller cancels the body and throws")
    func cancelled() async {
        let task = Task {
            try await withDeadline(.seconds(3600)) {
                for await _ in AsyncStream<Void>.makeStream().stream {}
                try Task.checkCancellation()
            }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
