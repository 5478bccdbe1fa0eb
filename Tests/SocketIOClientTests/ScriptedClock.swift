import Synchronization

/// A clock that advances only when the test ends a sleep.
final class ScriptedClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let length: Duration
        let deadline: Instant
        let wakeUp: AsyncStream<Never>.Continuation
    }

    private let time = Mutex(Instant(offset: .zero))
    private let sleepers: AsyncStream<Sleeper>
    private let newSleepers: AsyncStream<Sleeper>.Continuation

    init() { (sleepers, newSleepers) = AsyncStream.makeStream() }

    var now: Instant { time.withLock(\.self) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let (sleep, wakeUp) = AsyncStream.makeStream(of: Never.self)
        newSleepers.yield(Sleeper(length: now.duration(to: deadline), deadline: deadline, wakeUp: wakeUp))
        for await _ in sleep {}
        try Task.checkCancellation()
    }

    /// Waits until a sleep of this length starts, and ends it.
    ///
    /// Other sleeps that started earlier never end.
    func finishSleep(of length: Duration) async {
        for await sleeper in sleepers where sleeper.length == length {
            time.withLock { $0 = max($0, sleeper.deadline) }
            sleeper.wakeUp.finish()
            return
        }
    }
}
