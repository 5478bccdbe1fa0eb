internal import Synchronization

/// The metrics of this process, which are read once a second at most, because it may have many descriptors to count.
package final class RecentMeasures: Sendable {
    private static let interval = Duration.seconds(1)

    private let read: @Sendable () -> ProcessMeasures
    private let latest = Mutex<(time: ContinuousClock.Instant, measures: ProcessMeasures)?>(nil)

    /// Creates a record of what `read` returns.
    package init(_ read: @escaping @Sendable () -> ProcessMeasures = { .current() }) { self.read = read }

    /// Returns the metrics at a time that is not before those of earlier calls.
    package func current(at time: ContinuousClock.Instant = .now) -> ProcessMeasures {
        latest.withLock { latest in
            if let latest, time < latest.time + Self.interval { return latest.measures }
            let measures = read()
            latest = (time, measures)
            return measures
        }
    }
}
