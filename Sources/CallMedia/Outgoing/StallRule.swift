/// Decides when a transport without incoming packets counts as dead.
struct StallRule: Hashable, Sendable {
    /// The times of the latest packets from the transport.
    struct Liveness: Hashable, Sendable {
        /// The arrival time of the last packet of any protocol; nil if there was none.
        var lastPacket: ContinuousClock.Instant?
        /// The arrival time of the last audio packet; nil if there was none.
        var lastAudio: ContinuousClock.Instant?
    }

    /// The time without packets after which a peer whose audio was flowing counts as dead; a muted peer still
    /// sends audio.
    static let limit = Duration.seconds(5)
    /// The same limit for other peers: a peer without media still sends RTCP at least every 7.5 s (RFC 3550
    /// §6.3.1).
    static let limitWithoutAudio = Duration.seconds(8)
    /// The longest gap between packets for which audio counts as flowing; Opus DTX leaves gaps of 0.4 s (RFC
    /// 6716 §2.1.9).
    private static let longestPause = Duration.seconds(1)

    /// The time at which the connection came up and the peer could send.
    let start: ContinuousClock.Instant

    /// Returns the time at which the connection counts as dead unless another packet arrives before it.
    func deadline(after liveness: Liveness) -> ContinuousClock.Instant {
        let last = max(start, liveness.lastPacket ?? start)
        let isAudioFlowing = liveness.lastAudio.map { last - $0 <= Self.longestPause } ?? false
        return last + (isAudioFlowing ? Self.limit : Self.limitWithoutAudio)
    }
}
