package import CallCore

/// What went in and out over all attempts of a run.
package struct MediaTotals: Hashable, Sendable {
    /// Whole frames, by kind.
    package var received: [MediaKind: Int] = [:]
    package var sent: [MediaKind: Int] = [:]
    /// Packets that never arrived.
    package var lost = 0
    /// The media of the last call that ended.
    package var lastCall = CallReception()
    /// The media of the running call.
    private var call = CallReception()

    package init() {}

    /// Adds those of another run.
    package mutating func add(_ other: MediaTotals) {
        received.merge(other.received, uniquingKeysWith: +)
        sent.merge(other.sent, uniquingKeysWith: +)
        lost += other.lost
    }

    mutating func add(_ traffic: TrafficCounters.Totals, lost: Int) {
        for (kind, flow) in traffic.received { received[kind, default: 0] += flow.frames }
        for (kind, flow) in traffic.sent { sent[kind, default: 0] += flow.frames }
        self.lost += lost
        call.frames += traffic.received.values.reduce(0) { $0 + $1.frames }
    }

    /// Adds the kinds expected of an attempt that was connected for `span`.
    mutating func add(expected: Set<MediaKind>, for span: Duration) {
        call.expected.formUnion(expected)
        call.span += span
    }

    /// Closes the count of the running call.
    mutating func callEnded() { (lastCall, call) = (call, CallReception()) }
}
