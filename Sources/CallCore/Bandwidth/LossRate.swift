/// The effect of packet loss on the bit rate (draft-ietf-rmcat-gcc-02 §6).
///
/// Unlike in the draft, a constant loss of up to ten percent, as on a radio link, does not prevent growth:
/// the usual loss of the path is measured, and only a higher loss counts as a sign of congestion.
struct LossRate: Hashable, Sendable {
    private static let tolerated = 0.10
    private static let harmless = 0.02
    private static let minimumPackets = 60
    private static let window = (shortest: 0.5, longest: 3.0)
    private static let learning = 0.1

    private var sent = 0
    private var lost = 0
    private var since: Double?
    /// The usual fraction of packets lost on the path, from 0 to `tolerated`; nil until the loss of a window is within
    /// this range.
    private var usual: Double?
    /// The fraction of packets lost in the last window, from 0 to 1.
    private(set) var fraction = 0.0

    /// Whether the bit rate may grow.
    var allowsGrowth: Bool {
        fraction < Self.harmless
            || fraction <= Self.tolerated && fraction <= (usual ?? 0) + Self.harmless
    }

    /// Adds the packet counts of a report.
    ///
    /// - Returns: the factor by which to multiply the bit rate, if this report ends a window; else nil.
    mutating func update(sent newlySent: Int, lost newlyLost: Int, at time: Double) -> Double? {
        sent = min(sent + max(0, newlySent), 1_000_000)
        lost = min(lost + max(0, newlyLost), sent)
        let start = since ?? time
        since = start
        let elapsed = time - start
        guard sent > 0, elapsed >= Self.window.longest || sent >= Self.minimumPackets,
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
