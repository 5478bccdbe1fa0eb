/// The number of presses of the pointer in quick succession at the same position.
struct Clicks: Hashable, Sendable {
    /// The maximum time between two presses, in seconds.
    private static let time = 0.4
    /// The maximum distance between two presses, in points.
    private static let distance = 5.0

    private(set) var count = 0
    private var place = Point(0, 0)
    private var last = -Double.infinity

    mutating func press(at place: Point, _ now: Double) {
        let isNear =
            abs(place.x - self.place.x) <= Self.distance && abs(place.y - self.place.y) <= Self.distance
        count = isNear && now - last <= Self.time ? count + 1 : 1
        (self.place, last) = (place, now)
    }
}
