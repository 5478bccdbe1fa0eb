/// The packets whose retransmission was requested recently, by sequence number.
struct RecentRequests: Sendable {
    private static let maximum = 128

    private var answered: [(number: Double, time: UInt64)] = []
    private var next = 0

    /// Stores a request and returns true, unless one for the same packet was stored less than `pause`
    /// nanoseconds ago.
    mutating func isDue(_ number: Double, at now: UInt64, every pause: UInt64) -> Bool {
        if let index = answered.firstIndex(where: { $0.number == number }) {
            guard now >= answered[index].time &+ pause else { return false }
            answered[index].time = now
        } else if answered.count < Self.maximum {
            answered.append((number, now))
        } else {
            answered[next] = (number, now)
            next = (next + 1) % Self.maximum
        }
        return true
    }
}
