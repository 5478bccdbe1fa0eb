/// When a transport that has fallen silent counts as dead.
struct StallRule: Hashable, Sendable {
    /// What the transport has delivered.
    struct Liveness: Hashable, Sendable {
        /// When the last packet of any protocol came; nil where none has.
        var lastPacket: ContinuousClock.Instant?
        /// When the last sound came; nil where none has.
        var lastSound: ContinuousClock.Instant?
    }

    /// The silence that is believed of a peer whose sound was flowing: who is muted sends on.
    static let limit = Duration.seconds(5)
    /// Else: a peer whose camera is off, or that has nothing to send, tells that it lives by RTCP alone, every
    /// 7.5 s at most (RFC 3550 §6.3.1).
    static let limitWithoutSound = Duration.seconds(8)
    /// Sound flows where its packets come as often; Opus leaves out 0.4 s of silence (RFC 6716 §2.1.9).
    private static let longestPause = Duration.seconds(1)

    /// Since when the connection is up and the peer may send.
    let start: ContinuousClock.Instant

    /// When the connection counts as dead, unless another packet comes before.
    func deadline(after liveness: Liveness) -> ContinuousClock.Instant {
        let last = max(start, liveness.lastPacket ?? start)
        let isSoundFlowing = liveness.lastSound.map { last - $0 <= Self.longestPause } ?? false
        return last + (isSoundFlowing ? Self.limit : Self.limitWithoutSound)
    }
}
