import Basics
import Synchronization
import Testing

@Suite("Deadline of an asynchronous operation", .timeLimit(.minutes(4)))
struct DeadlineTests {
    private struct BodyError: Error {}

    @Test("A result before the deadline is returned at once")
    func inTime() async throws {
        #expect(try await withDeadline(.seconds(3600)) { 1 } == 1)
    }

    @Test("At the deadline, the operation is cancelled and the result is nil")
    func late() async throws {
        let wasCancelled = Mutex(false)
        let result: Void? = try await withDeadline(.zero) {
            for await _ in AsyncStream<Void>.makeStream().stream {}
            wasCancelled.withLock { $0 = Task.isCancelled }
        }
        #expect(result == nil && wasCancelled.withLock(\.self))
    }

    @Test("An error of the operation is thrown")
    func failure() async {
        await #expect(throws: BodyError.self) {
            try await withDeadline(.seconds(3600)) { throw BodyError() }
        }
    }

    @Test("Cancelling the calling task cancels the operation and throws")
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
