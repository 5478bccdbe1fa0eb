/// When a transport that has fallen silent counts as dead.
struct StallRule: Hashable, Sendable {
    /// What the transport has delivered.
    struct Liveness: Hashable, Sendable {
        /// When the last packet of any protocol came; nil where none has.
        var lastPacket: ContinuousClock.Instant?
        /// Whether media was among the packets.
        var hasMedia = false
    }

    /// The silence that is believed of a peer that has sent media.
    static let limit = Duration.seconds(5)
    /// Before its first media: a peer that has nothing to send tells so by RTCP alone, every 7.5 s at
    /// most (RFC 3550 §6.3.1).
    static let limitBeforeMedia = Duration.seconds(8)

    /// Since when the connection is up and the peer may send.
    let start: ContinuousClock.Instant

    /// When the connection counts as dead, unless another packet comes before.
    func deadline(after liveness: Liveness) -> ContinuousClock.Instant {
        let last = max(start, liveness.lastPacket ?? start)
        return last + (liveness.hasMedia ? Self.limit : Self.limitBeforeMedia)
    }
}
