/// What losses say about the bit rate (draft-ietf-rmcat-gcc-02 §6).
///
/// Unlike there, a loss that the path has at any rate, as radio has, does not keep the rate from growing: it is
/// learnt, and only what comes on top of it counts as a sign of a full path.
struct LossRate: Hashable, Sendable {
    private static let tolerated = 0.10
    private static let harmless = 0.02
    private static let fewestPackets = 60
    private static let window = (shortest: 0.5, longest: 3.0)
    private static let learning = 0.1

    private var sent = 0
    private var lost = 0
    private var since: Double?
    /// What the path usually loses, from 0 to 1.
    private var usual: Double?
    /// Of the last window, from 0 to 1.
    private(set) var fraction = 0.0

    /// Whether more may be sent.
    var allowsGrowth: Bool {
        fraction < Self.harmless
            || fraction <= Self.tolerated && fraction <= (usual ?? 0) + Self.harmless
    }

    /// Counts a report.
    ///
    /// - Returns: what to multiply the bit rate with, once per window.
    mutating func update(sent newlySent: Int, lost newlyLost: Int, at time: Double) -> Double? {
        sent = min(sent + max(0, newlySent), 1_000_000)
        lost = min(lost + max(0, newlyLost), sent)
        let start = since ?? time
        since = start
        let elapsed = time - start
        guard sent > 0, elapsed >= Self.window.longest || sent >= Self.fewestPackets,
            elapsed >= Self.window.shortest
        else { return nil }
        fraction = Double(lost) / Double(sent)
        (sent, lost, since) = (0, 0, time)
        guard fraction <= Self.tolerated else { return 1 - 0.5 * fraction }
        let before = usual ?? fraction
        usual = before + Self.learning * (fraction - before)
        return 1
    }
}
