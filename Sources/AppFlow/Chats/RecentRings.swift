internal import Basics

/// The people whose calls are ignored for a time, because they ring again and again.
struct RecentRings: Sendable {
    /// The time for which somebody who was declined does not ring again.
    static let silence = Duration.seconds(30)
    private static let most = 1000

    /// The ends of the times in which the calls of people are ignored, by the people's IDs.
    private var declined: [Int: Duration] = [:]
    /// The ends of the times in which no further missed call of people is told.
    private var told: [Int: Duration] = [:]
    private let stopwatch: Stopwatch

    init(clock: any Clock<Duration>) { stopwatch = Stopwatch(clock) }

    /// Ignores the calls of a person, whom the user has declined.
    mutating func decline(_ person: Int) { note(person, Self.silence, in: \.declined) }

    /// Lets a person ring again, whom the user calls.
    mutating func forgive(_ person: Int) { declined[person] = nil }

    func isDeclined(_ person: Int) -> Bool { declined[person].map { $0 > stopwatch.elapsed } ?? false }

    /// Notes a call of a person that cannot ring; false if one was told while it would still ring, or if too many were.
    mutating func tell(_ person: Int) -> Bool {
        if let end = told[person], end > stopwatch.elapsed { return false }
        return note(person, ChatCalls.ringLimit, in: \.told)
    }

    /// Notes a person for a time; false if there is no place.
    @discardableResult
    private mutating func note(
        _ person: Int,
        _ span: Duration,
        in times: WritableKeyPath<Self, [Int: Duration]>
    ) -> Bool {
        let now = stopwatch.elapsed
        if self[keyPath: times].count >= Self.most {
            self[keyPath: times] = self[keyPath: times].filter { $0.value > now }
        }
        guard self[keyPath: times].count < Self.most else { return false }
        self[keyPath: times][person] = now + span
        return true
    }
}
