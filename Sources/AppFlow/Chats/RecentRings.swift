internal import Basics

/// The people whose calls are temporarily ignored, so that they cannot ring repeatedly.
struct RecentRings: Sendable {
    /// The time for which a declined caller cannot ring again.
    static let silence = Duration.seconds(30)
    private static let most = 1000

    /// The times until which calls are ignored, by the ID of the caller.
    private var declined: [Int: Duration] = [:]
    /// The times until which no further missed call is reported, by the ID of the caller.
    private var told: [Int: Duration] = [:]
    private let stopwatch: Stopwatch

    init(clock: any Clock<Duration>) { stopwatch = Stopwatch(clock) }

    /// Ignores the calls of a person for a while, because the user has declined one.
    mutating func decline(_ person: Int) { note(person, Self.silence, in: \.declined) }

    /// Lets a person ring again without waiting, because the user calls this person.
    mutating func forgive(_ person: Int) { declined[person] = nil }

    func isDeclined(_ person: Int) -> Bool { declined[person].map { $0 > stopwatch.elapsed } ?? false }

    /// Records a missed call that could not ring.
    ///
    /// - Returns: False if a call of this person was reported recently, or if too many people are recorded.
    mutating func tell(_ person: Int) -> Bool {
        if let end = told[person], end > stopwatch.elapsed { return false }
        return note(person, ChatCalls.ringLimit, in: \.told)
    }

    /// Records a person for a time; returns false if too many people are recorded.
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
