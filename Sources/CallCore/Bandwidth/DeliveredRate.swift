/// The bit rate that has arrived at the peer over the last half second.
struct DeliveredRate: Hashable, Sendable {
    private static let window = 0.5

    private struct Arrival: Hashable {
        var time: Double
        var bits: Double
    }

    private var arrivals: [Arrival] = []
    private var bits = 0.0
    private static let maximum = 4000

    /// The rate in bits per second; nil until a window has been filled.
    private(set) var value: Double?

    mutating func add(bytes: Int, at time: Double) {
        if let last = arrivals.last, time < last.time - 1 { self = DeliveredRate() }  // a different clock
        arrivals.append(Arrival(time: time, bits: Double(bytes) * 8))
        bits += Double(bytes) * 8
        let newest = max(time, arrivals.last?.time ?? time)
        var expired = 0
        while expired < arrivals.count,
            arrivals[expired].time < newest - Self.window || arrivals.count - expired > Self.maximum
        {
            bits -= arrivals[expired].bits
            expired += 1
        }
        if expired > 0 { value = max(0, bits) / Self.window }
        arrivals.removeFirst(expired)
    }
}
