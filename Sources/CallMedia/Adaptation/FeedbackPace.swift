/// The interval of the transport-wide feedback that the peer gets: long while the path is clean.
///
/// A report costs both sides as much as several media packets, and about a clean path it tells nothing new.
struct FeedbackPace: Hashable, Sendable {
    /// The intervals in milliseconds; libwebrtc uses 50 to 250.
    static let (short, long) = (100, 250)
    /// The seconds without loss and jitter after which the interval becomes long.
    private static let timeout = 3
    /// The jitter of a path that is not clean, in seconds.
    private static let jitterLimit = 0.01

    private var lost = 0
    private var cleanSeconds = 0
    /// The current interval in milliseconds.
    private(set) var milliseconds = short

    /// Updates the interval with the statistics of one second.
    ///
    /// - Parameters:
    ///   - lost: the number of packets lost since the beginning.
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
