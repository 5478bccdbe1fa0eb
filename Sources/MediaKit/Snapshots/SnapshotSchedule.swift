/// The due times of periodic snapshots, at even intervals from the first one.
///
/// A snapshot requires a keyframe. A keyframe shortly before the due time is accepted; otherwise, if
/// keyframes have the same interval, the snapshot would be late by a whole interval.
struct SnapshotSchedule: Hashable, Sendable {
    /// The divisor of the interval: a keyframe may be early by a quarter of it, but at most by `maximumSlack`.
    private static let shareOfSlack = 4
    private static let maximumSlack = Duration.milliseconds(500)

    let interval: Duration
    /// The due time of the next snapshot; nil before the first one.
    private(set) var due: ContinuousClock.Instant?

    init(interval: Duration) { self.interval = interval }

    /// The time from which a keyframe is accepted; nil before the first snapshot.
    var earliest: ContinuousClock.Instant? {
        due.map { $0 - min(interval / Self.shareOfSlack, Self.maximumSlack) }
    }

    /// Schedules the next snapshot after one that was taken at `now`; due times in the past are skipped.
    mutating func pictureTaken(at now: ContinuousClock.Instant) {
        let next = (due ?? now) + interval
        due = next > now ? next : now + interval
    }
}
