internal import CallCore
internal import Foundation
internal import Synchronization

/// A simulation of asynchronous code in virtual time: when all of it waits, the clock jumps ahead.
package enum Simulation {
    /// The number of schedules that a test tries, from seed 0 on.
    package static let schedules =
        ProcessInfo.processInfo.environment["CALLRUNNER_SCHEDULES"].flatMap(UInt64.init) ?? 500

    /// Runs `body` in virtual time, on the main actor because code of the main actor takes part.
    ///
    /// A seed runs the ready jobs in another order, the same for the same seed.
    ///
    /// - Returns: nil if everything waits for what can never happen, or for longer than `limit`.
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
            // Jobs of the main actor get their turn, and those that they cause: each round queues one more
            // job behind all of them. (Task.yield would leave the main actor and race them.)
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

/// An executor that keeps jobs until the simulation runs them, one at a time.
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
