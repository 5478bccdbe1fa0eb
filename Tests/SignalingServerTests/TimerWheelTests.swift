import NIOCore
import NIOPosix
import Testing

@testable import SignalingServer

@Suite("Timer wheel", .timeLimit(.minutes(1)))
struct TimerWheelTests {
    /// Sets itself again for far away, after its loop was busy for longer than a tick.
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

    @Test("The only entry may set itself again for longer than a turn, however late its loop is")
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
        // The loop is free again.
        try await loop.submit {}.get()
    }
}
