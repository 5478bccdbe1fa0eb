/// What webrtcbin 1.22 counts itself, from one `get-stats` reply.
package struct WebRTCStatistics: Hashable, Sendable {
    /// An `inbound-rtp` entry; `jitter` in seconds.
    package struct Inbound: Hashable, Sendable {
        package var ssrc: UInt32
        package var packetsLost: Int
        package var jitter: Double
    }

    package struct CandidatePair: Hashable, Sendable {
        package var local: String
        package var remote: String
        package var transport: String
    }

    package var inbound: [Inbound] = []
    /// Seconds, from the peer's receiver reports.
    package var roundTripTime: Double?
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
                    packetsLost: Int(clampingFinite: entry.number("packets-lost")),
                    jitter: entry.number("jitter") ?? 0
                )
            )
        } else if name.hasPrefix("rtp-remote-inbound-stream-stats") {
            if let time = entry.number("round-trip-time"), time > 0 { roundTripTime = time }
        } else if name.hasPrefix("ice-candidate-local") {
            pair.local = entry.string("candidate-type") ?? ""
            pair.transport = entry.string("protocol")?.lowercased() ?? ""
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
    /// A count that GStreamer reports as a floating or unsigned number.
    fileprivate init(clampingFinite number: Double?) {
        guard let number, number.isFinite else {
            self = 0
            return
        }
        self = Int(Swift.min(Swift.max(number, -1e15), 1e15))
    }
}
