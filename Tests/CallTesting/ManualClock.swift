internal import Synchronization

/// A clock whose time changes only when it is advanced.
package final class ManualClock: Clock {
    package struct Instant: InstantProtocol {
        /// The time since the clock was created.
        package var offset: Duration

        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let wakeUp: AsyncStream<Never>.Continuation
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var lastSleeper = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var now: Instant { state.withLock { $0.now } }
    package var minimumResolution: Duration { .nanoseconds(1) }

    /// The number of sleeping tasks.
    package var sleepers: Int { state.withLock { $0.sleepers.count } }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        let sleeper: Int? = state.withLock { state in
            guard deadline > state.now else { return nil }
            state.lastSleeper += 1
            state.sleepers[state.lastSleeper] = Sleeper(deadline: deadline, wakeUp: continuation)
            return state.lastSleeper
        }
        guard let sleeper else { return }
        for await _ in stream {}
        state.withLock { $0.sleepers[sleeper] = nil }
        try Task.checkCancellation()
    }

    /// Advances the clock and resumes the tasks whose deadline has passed.
    package func advance(by duration: Duration) {
        move { $0.now.advanced(by: duration) }
    }

    /// Advances the clock to the next deadline; false if no task is sleeping.
    package func advanceToNextDeadline() -> Bool {
        move { state in state.sleepers.values.map(\.deadline).min() }
    }

    @discardableResult
    private func move(_ target: (State) -> Instant?) -> Bool {
        let woken: [Sleeper]? = state.withLock { state in
            guard let target = target(state) else { return nil }
            state.now = max(state.now, target)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }.sorted { $0.key < $1.key }
            for (id, _) in due { state.sleepers[id] = nil }
            return due.map(\.value)
        }
        for sleeper in woken ?? [] { sleeper.wakeUp.finish() }
        return woken != nil
    }
}
