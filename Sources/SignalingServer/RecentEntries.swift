internal import NIOCore

/// Values by their keys, of which the newest so many are kept.
struct RecentEntries<Key: Hashable, Value> {
    private let capacity: Int
    private var entries: [Key: (value: Value, number: Int)] = [:]
    /// The oldest first; what has been taken out, or set again, is still here for a while.
    private var order = CircularBuffer<(key: Key, number: Int)>()
    private var nextNumber = 0

    /// `capacity` is at least 1.
    init(_ capacity: Int) { self.capacity = capacity }

    var count: Int { entries.count }

    /// Setting a value makes it the newest; nil takes it out.
    subscript(key: Key) -> Value? {
        get { entries[key]?.value }
        set {
            entries[key] = newValue.map { ($0, nextNumber) }
            guard newValue != nil else { return }
            order.append((key, nextNumber))
            nextNumber += 1
            trim()
        }
    }

    private mutating func trim() {
        while entries.count > capacity, let oldest = order.popFirst() {
            if isCurrent(oldest) { entries[oldest.key] = nil }
        }
        // Seldom enough to cost next to nothing for each.
        if order.count > 2 * capacity {
            order = CircularBuffer(order.filter { isCurrent($0) })
        }
    }

    private func isCurrent(_ place: (key: Key, number: Int)) -> Bool {
        entries[place.key]?.number == place.number
    }
}
