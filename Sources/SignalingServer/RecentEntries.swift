internal import NIOCore

/// A dictionary of limited capacity, which removes its oldest entries.
struct RecentEntries<Key: Hashable, Value> {
    private let capacity: Int
    private var entries: [Key: (value: Value, number: Int)] = [:]
    /// The keys in the order of insertion, oldest first; `trim()` later discards removed and overwritten
    /// ones.
    private var order = CircularBuffer<(key: Key, number: Int)>()
    private var nextNumber = 0

    /// Creates an empty collection; `capacity` is at least 1.
    init(_ capacity: Int) { self.capacity = capacity }

    var count: Int { entries.count }

    /// Accesses a value; setting a value makes it the newest, setting nil removes the entry.
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
        // This runs at most once per `capacity` insertions, so its cost per insertion is small.
        if order.count > 2 * capacity {
            order = CircularBuffer(order.filter { isCurrent($0) })
        }
    }

    private func isCurrent(_ place: (key: Key, number: Int)) -> Bool {
        entries[place.key]?.number == place.number
    }
}
