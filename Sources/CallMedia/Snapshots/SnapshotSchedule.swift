/// The due times of periodic snapshots, at even intervals from the first one.
///
/// A snapshot needs a keyframe. A keyframe shortly before the due time is accepted, because with keyframes at
/// the same interval the next one would be late by a whole interval.
struct SnapshotSchedule: Hashable, Sendable {
    /// The share of the interval by which a keyframe may come early, but at most `maximumSlack`.
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

    /// Records a snapshot taken at `now`; missed ones are not made up for.
    mutating func pictureTaken(at now: ContinuousClock.Instant) {
        let next = (due ?? now) + interval
        due = next > now ? next : now + interval
    }
}
