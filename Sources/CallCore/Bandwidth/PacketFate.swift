/// The outcome of one sent packet, as reported by transport-wide congestion control feedback.
package struct PacketFate: Hashable, Sendable {
    /// The sending time in seconds on the sender's clock.
    package var sent: Double
    /// The arrival time in seconds on the receiver's clock, whose origin is arbitrary; nil if the packet was
    /// lost.
    package var arrived: Double?
    /// The packet size in bytes.
    package var size: Int

    /// Creates an outcome from a peer's values, which are not checked; see `isPlausible`.
    package init(sent: Double, arrived: Double?, size: Int) {
        (self.sent, self.arrived, self.size) = (sent, arrived, size)
    }

    /// Whether the times and the size are plausible enough for computations.
    var isPlausible: Bool {
        let times = [sent, arrived ?? 0]
        return size >= 0 && size <= 65_535 && times.allSatisfy { $0.isFinite && abs($0) < 1e9 }
    }
}
