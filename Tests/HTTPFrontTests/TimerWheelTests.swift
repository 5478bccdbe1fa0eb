import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import HTTPFront

@Suite("Timer wheel", .timeLimit(.minutes(4)))
struct TimerWheelTests {
    /// An entry that blocks the event loop for 3 ms when its timer fires, and sets it again to an hour later.
    private final class Repeater: TimerWheelEntry {
        var wheelSeat = TimerWheelSeat()
        private let wheel: TimerWheel
        private let served: EventLoopPromise<Void>

        init(_ wheel: TimerWheel, served: EventLoopPromise<Void>) {
            self.wheel = wheel
            self.served = served
        }

        func timeIsUp(_ now: NIODeadline) {
            let busyEnd = NIODeadline.now() + .milliseconds(3)
            while .now() < busyEnd {}
            wheel.set(self, to: .now() + .hours(1))
            served.succeed()
        }
    }

    @Test("A timer that fires late may be set again beyond a full rotation of the wheel")
    func lastEntry() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let wheel = try await loop.submit {
            let wheel = TimerWheel(resolution: .milliseconds(1), eventLoop: loop)
            return NIOLoopBound(wheel, eventLoop: loop)
        }.get()
        try await loop.flatSubmit {
            let served = loop.makePromise(of: Void.self)
            wheel.value.set(Repeater(wheel.value, served: served), to: .now() + .milliseconds(2))
            return served.futureResult
        }.get()
        // Checks that the event loop is not blocked.
        try await loop.submit {}.get()
    }

    /// An entry that records the times at which its timer fires.
    private final class Entry: TimerWheelEntry {
        var wheelSeat = TimerWheelSeat()
        var times: [NIODeadline] = []

        func timeIsUp(_ now: NIODeadline) { times.append(now) }
    }

    /// Runs `body` with a wheel whose full rotation takes 102.4 seconds.
    private func withWheel(_ body: (TimerWheel, EmbeddedEventLoop) throws -> Void) rethrows {
        let loop = EmbeddedEventLoop()
        loop.advanceTime(by: .milliseconds(123_456))
        try body(TimerWheel(resolution: .milliseconds(100), eventLoop: loop), loop)
        loop.advanceTime(by: .hours(10))
    }

    @Test(
        "A timer fires once, never early, and at most one tick late",
        arguments: [0, 1, 99, 100, 101, 1000, 102_300, 102_400, 102_401, 3_600_000]
    )
    func times(milliseconds: Int64) {
        withWheel { wheel, loop in
            // The second time another entry keeps the wheel running.
            for other in [nil, Entry()] {
                if let other { wheel.set(other, to: loop.now + .hours(2)) }
                let entry = Entry()
                let due = loop.now + .milliseconds(milliseconds)
                wheel.set(entry, to: due)
                loop.advanceTime(by: .hours(3))
                #expect(entry.times.count == 1)
                #expect(entry.times.allSatisfy { $0 >= due && $0 <= due + .milliseconds(100) })
            }
        }
    }

    @Test(
        "A timer that is set again fires only at its new time",
        arguments: [(1000, 5000), (5000, 1000), (200_000, 50)]
    )
    func moved(first: Int64, second: Int64) {
        withWheel { wheel, loop in
            let entry = Entry()
            let due = loop.now + .milliseconds(second)
            wheel.set(entry, to: loop.now + .milliseconds(first))
            wheel.set(entry, to: due)
            loop.advanceTime(by: .hours(1))
            #expect(entry.times.count == 1)
            #expect(entry.times.allSatisfy { $0 >= due && $0 <= due + .milliseconds(100) })
        }
    }

    @Test("Cancelled timers never fire, and all others fire once")
    func cancelled() {
        withWheel { wheel, loop in
            let entries = (0..<3000).map { _ in Entry() }
            for (number, entry) in entries.enumerated() {
                wheel.set(entry, to: loop.now + .milliseconds(Int64(number % 50) * 10))
            }
            for number in stride(from: 0, to: 3000, by: 3) { wheel.cancel(entries[number]) }
            wheel.cancel(Entry())
            loop.advanceTime(by: .hours(1))
            #expect(entries.enumerated().allSatisfy { $1.times.count == ($0 % 3 == 0 ? 0 : 1) })
        }
    }
}
