internal import Synchronization

/// A cache of the metrics of this process, which are read once a second at most, because counting open descriptors may
/// take long.
package final class RecentMeasures: Sendable {
    private static let interval = Duration.seconds(1)

    private let read: @Sendable () -> ProcessMeasures
    private let latest = Mutex<(time: ContinuousClock.Instant, measures: ProcessMeasures)?>(nil)

    /// Creates a cache for the results of `read`.
    package init(_ read: @escaping @Sendable () -> ProcessMeasures = { .current() }) { self.read = read }

    /// Returns the metrics, which are at most a second old at `time`; `time` must not decrease from call to call.
    package func current(at time: ContinuousClock.Instant = .now) -> ProcessMeasures {
        latest.withLock { latest in
            if let latest, time < latest.time + Self.interval { return latest.measures }
            let measures = read()
            latest = (time, measures)
            return measures
        }
    }
}
