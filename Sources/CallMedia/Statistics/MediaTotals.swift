package import Basics

/// The totals of all attempts of one media service.
package struct MediaTotals: Hashable, Sendable {
    /// The number of complete frames received, by kind of media.
    package var received: [MediaKind: Int] = [:]
    package var sent: [MediaKind: Int] = [:]
    /// The number of lost packets.
    package var lost = 0
    /// The media expected and received in the last call that ended.
    package var lastCall = CallReception()
    /// The media expected and received so far in the current call.
    private var call = CallReception()

    package init() {}

    /// Adds the totals of another media service.
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

    /// Adds the kinds of media expected in an attempt that was connected for `span`.
    mutating func add(expected: Set<MediaKind>, for span: Duration) {
        call.expected.formUnion(expected)
        call.span += span
    }

    /// Ends the current call and moves its counts to `lastCall`.
    mutating func callEnded() { (lastCall, call) = (call, CallReception()) }
}
