internal import Glibc

/// The scroll position of a list: its first visible row, and the height of the hidden part of that row.
///
/// It does not depend on the rows above, so nothing moves on the screen when those are measured.
struct ListPosition: Sendable {
    private(set) var heights: RowHeights
    private(set) var first = 0
    /// The height of the hidden part of the first row, in points.
    private(set) var hidden = 0.0
    /// The speed of the scrolling in points per second, downwards.
    private(set) var speed = 0.0
    /// The width for which rows were measured.
    private let width: Double
    private var lastTime: Double?
    /// Whether the end of the list is shown first, and stays in view when rows are added.
    private let staysAtEnd: Bool
    /// Whether the next layout shows the end of the list.
    private(set) var isAtEnd: Bool
    /// The number of rows that were added before the first one.
    private(set) var prepended = 0

    /// The speed that one line of the wheel adds, in points per second.
    private static let push = 620.0
    /// The rate at which the speed decays exponentially, per second.
    private static let friction = 9.0
    /// The speed at which scrolling stops.
    private static let leastSpeed = 8.0

    init(count: Int, estimate: Double, width: Double, staysAtEnd: Bool) {
        heights = RowHeights(count: count, estimate: estimate)
        self.width = width
        self.staysAtEnd = staysAtEnd
        isAtEnd = staysAtEnd
    }

    func fits(_ width: Double) -> Bool { width == self.width }

    /// Adds rows before the first one; the visible rows stay where they are.
    mutating func prepend(_ count: Int) {
        guard count > 0 else { return }
        heights.prepend(count)
        first += count
        prepended += count
    }

    mutating func resize(to count: Int) {
        heights.resize(to: count)
        if first >= count { (first, hidden) = (max(0, count - 1), 0) }
    }

    // MARK: - Movement

    /// Adds the speed for a rotation of the wheel by `lines`; positive values scroll up.
    mutating func push(lines: Double) {
        let added = -lines * Self.push
        speed = speed * added < 0 ? added : speed + added
        if added < 0 { isAtEnd = false }
    }

    /// Shows a row at the top of the view; the number of rows means the end of the list.
    mutating func jump(to row: Int) {
        speed = 0
        isAtEnd = row >= heights.count
        (first, hidden) = (min(max(0, row), max(0, heights.count - 1)), 0)
    }

    /// Scrolls to a fraction, 0…1, of the whole distance; `view` is the height of the view in points.
    mutating func jump(toShare share: Double, view: Double) {
        guard heights.count > 0 else { return }
        let distance = max(0, min(1, share)) * max(0, heights.total() - view)
        speed = 0
        first = heights.row(at: distance)
        hidden = distance - heights.top(of: first)
        isAtEnd = share >= 1
    }

    mutating func move(by distance: Double) {
        if distance < 0 { isAtEnd = false }
        hidden += distance
    }

    /// Continues the scrolling up to the time `now`, and returns whether the list still moves.
    mutating func glide(at now: Double) -> Bool {
        defer { lastTime = now }
        let passed = min(0.1, max(0, now - (lastTime ?? now)))
        guard abs(speed) > Self.leastSpeed else {
            speed = 0
            return false
        }
        // The distance that is covered while the speed decays exponentially.
        let rest = exp(-Self.friction * passed)
        hidden += speed * (1 - rest) / Self.friction
        speed *= rest
        return true
    }

    /// The distance from the top of the list to the top of the view, in points.
    var offset: Double {
        mutating get { heights.top(of: first) + hidden }
    }

    // MARK: - Layout

    /// Measures the visible rows, and corrects the position if it is outside of the list.
    ///
    /// - Returns: the visible rows.
    mutating func layOut(view: Double, _ measure: (Int) -> Double) -> Range<Int> {
        let count = heights.count
        guard count > 0 else { return 0..<0 }
        func known(_ row: Int) -> Double {
            // The content of a row may have changed since the last layout.
            heights.measure(row, measure(row))
            return heights.height(of: row)
        }
        func climb() {
            while hidden < 0, first > 0 {
                first -= 1
                hidden += known(first)
            }
        }
        if isAtEnd { (first, hidden) = (count - 1, known(count - 1)) }
        climb()
        while first < count - 1, hidden >= known(first) {
            hidden -= known(first)
            first += 1
        }
        if hidden < 0 { (hidden, speed) = (0, max(0, speed)) }
        var last = first
        var bottom = -hidden
        while last < count, bottom < view {
            bottom += known(last)
            last += 1
        }
        isAtEnd = staysAtEnd && bottom <= view
        guard bottom <= view else { return first..<last }
        // The end of the list is above the bottom of the view, so everything moves down.
        hidden -= view - bottom
        climb()
        (hidden, speed) = (max(0, hidden), min(0, speed))
        return first..<last
    }

    /// Computes the scroll position as a fraction of the maximum, and the fraction of the list that is
    /// visible.
    mutating func shares(view: Double) -> (above: Double, visible: Double) {
        let total = heights.total()
        guard total > view else { return (0, 1) }
        return (min(1, offset / (total - view)), view / total)
    }
}
