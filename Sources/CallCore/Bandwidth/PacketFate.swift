/// What became of one packet that was sent, as the peer's feedback tells (transport-wide congestion control).
package struct PacketFate: Hashable, Sendable {
    /// Seconds on the sender's clock.
    package var sent: Double
    /// Seconds on the receiver's clock, which may count from anywhere; nil where the packet was lost.
    package var arrived: Double?
    /// Bytes.
    package var size: Int

    /// Takes what a peer says; nothing is too strange.
    package init(sent: Double, arrived: Double?, size: Int) {
        (self.sent, self.arrived, self.size) = (sent, arrived, size)
    }

    /// Whether its times can be reckoned with.
    var isSane: Bool {
        let times = [sent, arrived ?? 0]
        return size >= 0 && size <= 65_535 && times.allSatisfy { $0.isFinite && abs($0) < 1e9 }
    }
}
