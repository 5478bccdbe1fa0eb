internal import Basics
internal import CallCore
internal import Foundation
internal import Synchronization

/// A simulation of asynchronous code in virtual time: when all tasks wait, the clock advances to a deadline.
package enum Simulation {
    /// The number of random task schedules that a test tries; their seeds count from 0.
    package static let schedules =
        ProcessInfo.processInfo.environment["CALLRUNNER_SCHEDULES"].flatMap(UInt64.init) ?? 500

    /// Runs `body` in virtual time, on the main actor because `body` uses code of the main actor.
    ///
    /// With `seed`, ready jobs run in a random order, which is the same for the same seed.
    ///
    /// - Returns: The result of `body`; nil if all tasks wait without a deadline, or if `body` takes longer
    ///   than `limit`.
    @MainActor
    package static func run<Result: Sendable>(
        limit: Duration = .seconds(3600),
        seed: UInt64? = nil,
        _ body: @escaping @Sendable (ManualClock) async -> Result
    ) async -> Result? {
        let executor = SimulationExecutor(seed: seed)
        let clock = ManualClock()
        let isDone = Mutex(false)
        let task = Task(executorPreference: executor) {
            let result = await body(clock)
            isDone.withLock { $0 = true }
            return result
        }
        var isStuck = false
        while !isDone.withLock({ $0 }) {
            if executor.runNextJob() { continue }
            // The queued jobs of the main actor run first, and then those that they enqueue: each iteration
            // appends a job to the queue and waits for it. (Task.yield would leave the main actor and race
            // with these jobs.)
            for _ in 0..<16 where !executor.hasJobs { await Task { @MainActor in }.value }
            if executor.hasJobs || isDone.withLock({ $0 }) { continue }
            if isStuck { return nil }
            if clock.now.offset > limit || !clock.advanceToNextDeadline() {
                isStuck = true
                task.cancel()
            }
        }
        while executor.runNextJob() {}
        let result = await task.value
        return isStuck ? nil : result
    }
}

/// An executor that queues jobs until the simulation runs them, one at a time.
private final class SimulationExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var generator: SeededGenerator?
    }

    private let state: Mutex<State>

    init(seed: UInt64?) {
        state = Mutex(State(generator: seed.map(SeededGenerator.init)))
    }

    var hasJobs: Bool { state.withLock { !$0.jobs.isEmpty } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
    }

    func runNextJob() -> Bool {
        let job: UnownedJob? = state.withLock { state in
            guard !state.jobs.isEmpty else { return nil }
            let index = state.generator?.next(upperBound: UInt64(state.jobs.count)) ?? 0
            return state.jobs.remove(at: Int(index))
        }
        guard let job else { return false }
        job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }
}
