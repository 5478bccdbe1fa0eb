/// The due times of a renewed snapshot, at even distances from the first picture.
///
/// A picture needs a keyframe. A keyframe shortly before the due time is taken, because in a stream whose keyframes have
/// the same distance the next one would come a whole distance late.
struct SnapshotSchedule: Hashable, Sendable {
    /// The time by which a keyframe may come early: this share of the interval, and at most this long.
    private static let shareOfSlack = 4
    private static let mostSlack = Duration.milliseconds(500)

    let interval: Duration
    /// The due time of the next picture; nil before the first one.
    private(set) var due: ContinuousClock.Instant?

    init(interval: Duration) { self.interval = interval }

    /// The time from which the next keyframe is taken.
    var earliest: ContinuousClock.Instant? {
        due.map { $0 - min(interval / Self.shareOfSlack, Self.mostSlack) }
    }

    /// Notes a picture that was taken at `now`; pictures missed meanwhile are not made up for.
    mutating func pictureTaken(at now: ContinuousClock.Instant) {
        let next = (due ?? now) + interval
        due = next > now ? next : now + interval
    }
}
