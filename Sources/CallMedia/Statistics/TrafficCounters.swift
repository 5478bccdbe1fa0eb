internal import CallCore
internal import Synchronization

/// Counts, at the pads, values that webrtcbin does not count; updated on streaming threads.
final class TrafficCounters: Sendable {
    struct Flow {
        var packets = 0
        var bytes = 0
        var frames = 0
        var width = 0
        var height = 0
        var ssrc: UInt32?
        var freezes = FreezeDetector()
    }

    struct Totals {
        var received: [MediaKind: Flow] = [:]
        var sent: [MediaKind: Flow] = [:]
        /// The number of keyframe requests from the peer.
        var keyframeRequests = 0
    }

    private let totals = Mutex(Totals())
    private let transport = Mutex(StallRule.Liveness())

    var snapshot: Totals { totals.withLock { $0 } }

    /// The times of the latest packets from the transport.
    var liveness: StallRule.Liveness { transport.withLock { $0 } }

    /// Records the arrival of a transport packet of any protocol.
    func transportPacket() { transport.withLock { $0.lastPacket = .now } }

    /// Counts a received media packet.
    ///
    /// - Returns: whether it is the first of its kind.
    func received(_ kind: MediaKind, bytes: Int) -> Bool {
        if kind == .audio { transport.withLock { $0.lastSound = .now } }
        return totals.withLock { totals in
            totals.received[kind, default: Flow()].packets += 1
            totals.received[kind, default: Flow()].bytes += bytes
            return totals.received[kind]?.packets == 1
        }
    }

    /// Counts a complete frame that is due at `time`, in nanoseconds.
    ///
    /// - Returns: whether it is the first of its kind.
    func receivedFrame(_ kind: MediaKind, width: Int, height: Int, at time: UInt64) -> Bool {
        totals.withLock { totals in
            totals.received[kind, default: Flow()].frames += 1
            totals.received[kind]?.width = width
            totals.received[kind]?.height = height
            totals.received[kind]?.freezes.frame(at: time)
            return totals.received[kind]?.frames == 1
        }
    }

    func identified(_ kind: MediaKind, ssrc: UInt32) {
        totals.withLock { $0.received[kind, default: Flow()].ssrc = ssrc }
    }

    func sent(_ kind: MediaKind, bytes: Int) {
        totals.withLock { totals in
            totals.sent[kind, default: Flow()].packets += 1
            totals.sent[kind, default: Flow()].bytes += bytes
        }
    }

    func keyframeAskedFor() { totals.withLock { $0.keyframeRequests += 1 } }

    func sentFrame(_ kind: MediaKind) { totals.withLock { $0.sent[kind, default: Flow()].frames += 1 } }
}
