/// The time passed on a clock since the stopwatch was created.
package struct Stopwatch: Sendable {
    private let read: @Sendable () -> Duration

    package init(_ clock: any Clock<Duration>) {
        self = Self.started(on: clock)
    }

    private init(read: @escaping @Sendable () -> Duration) {
        self.read = read
    }

    package var elapsed: Duration { read() }

    package var milliseconds: Int {
        let (seconds, attoseconds) = elapsed.components
        return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    }

    private static func started(on clock: some Clock<Duration>) -> Stopwatch {
        let start = clock.now
        return Stopwatch { start.duration(to: clock.now) }
    }
}
