/// The statistics that webrtcbin 1.22 collects itself, from one `get-stats` reply.
package struct WebRTCStatistics: Hashable, Sendable {
    /// An `inbound-rtp` entry; `jitter` is in seconds.
    package struct Inbound: Hashable, Sendable {
        package var ssrc: UInt32
        /// The number of packets expected but not received, at least 0 (RFC 3550 A.3); duplicates count as
        /// received.
        package var packetsLost: Int
        package var jitter: Double
    }

    package struct CandidatePair: Hashable, Sendable {
        package var local: String
        package var remote: String
        package var transport: String
        /// The address of the local candidate; empty if it is not reported.
        package var localAddress = ""
    }

    package var inbound: [Inbound] = []
    /// The round-trip time in seconds, from the peer's receiver reports; nil before the first report.
    package var roundTripTime: Double?
    /// The fraction of our packets lost since the peer's previous report, 0 to 1; nil before the first
    /// report.
    ///
    /// It is the highest fraction of all streams. See RFC 3550 §6.4.1.
    package var fractionLost: Double?
    package var candidatePair: CandidatePair?

    package init() {}

    init(_ report: Structure) {
        for name in report.fieldNames {
            guard let entry = report.structure(name) else { continue }
            read(entry, named: name)
        }
    }

    private mutating func read(_ entry: Structure, named name: String) {
        if name.hasPrefix("rtp-inbound-stream-stats") {
            inbound.append(
                Inbound(
                    ssrc: UInt32(clamping: Int(clampingFinite: entry.number("ssrc"))),
                    // webrtcbin's own `packets-lost` is that of the jitter buffer, and exists only for SSRCs
                    // in the session description. The field used here is -1 without loss, because packets
                    // received on probation count twice.
                    packetsLost: max(
                        0,
                        Int(clampingFinite: entry.structure("gst-rtpsource-stats")?.number("packets-lost"))
                    ),
                    jitter: entry.number("jitter") ?? 0
                )
            )
        } else if name.hasPrefix("rtp-remote-inbound-stream-stats") {
            if let time = entry.number("round-trip-time"), time > 0 { roundTripTime = time }
            if let lost = entry.number("fraction-lost"), lost.isFinite {
                fractionLost = max(fractionLost ?? 0, min(max(lost, 0), 1))
            }
        } else if name.hasPrefix("ice-candidate-local") {
            pair.local = entry.string("candidate-type") ?? ""
            pair.transport = entry.string("protocol")?.lowercased() ?? ""
            pair.localAddress = entry.string("address") ?? ""
        } else if name.hasPrefix("ice-candidate-remote") {
            pair.remote = entry.string("candidate-type") ?? ""
        }
    }

    private var pair: CandidatePair {
        get { candidatePair ?? CandidatePair(local: "", remote: "", transport: "") }
        set { candidatePair = newValue }
    }
}

extension Int {
    /// Converts a count that GStreamer reports, and limits it to ±10¹⁵; 0 if the count is nil or not finite.
    init(clampingFinite number: Double?) {
        guard let number, number.isFinite else {
            self = 0
            return
        }
        self = Int(Swift.min(Swift.max(number, -1e15), 1e15))
    }
}
