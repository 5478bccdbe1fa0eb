/// The interval at which transport-wide feedback is sent to the peer; it is long while the path has no loss
/// and little jitter.
///
/// Each feedback report costs both peers as much as several media packets, but adds no information on such a
/// path.
struct FeedbackPace: Hashable, Sendable {
    /// The short and the long interval in milliseconds; libwebrtc uses 50 to 250 ms.
    static let (short, long) = (100, 250)
    /// The number of consecutive seconds without loss and with little jitter after which the interval becomes
    /// long.
    private static let timeout = 3
    /// The jitter, in seconds, at or above which the interval is short.
    private static let jitterLimit = 0.01

    private var lost = 0
    private var cleanSeconds = 0
    /// The current interval in milliseconds.
    private(set) var milliseconds = short

    /// Updates the interval with the statistics of one second.
    ///
    /// - Parameters:
    ///   - lost: the total number of packets lost so far.
    ///   - jitter: the highest jitter of all streams, in seconds (RFC 3550 §6.4.1).
    /// - Returns: the new interval; nil if it is unchanged.
    mutating func update(lost: Int, jitter: Double) -> Int? {
        let isClean = lost <= self.lost && jitter < Self.jitterLimit
        self.lost = lost
        cleanSeconds = isClean ? cleanSeconds + 1 : 0
        let next = cleanSeconds >= Self.timeout ? Self.long : Self.short
        guard next != milliseconds else { return nil }
        milliseconds = next
        return next
    }
}
