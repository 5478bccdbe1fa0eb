/// A request of the peer to retransmit one packet (RFC 4585 §6.2.1).
struct RetransmissionRequest: Hashable, Sendable {
    /// The SSRC of the stream.
    var ssrc: UInt32
    /// The sequence number of the packet.
    var number: UInt16
}

/// The packets whose retransmission was requested recently.
struct RecentRequests: Sendable {
    /// The number of stored requests: more than the packets of a stream that webrtcbin stores for retransmission.
    static let maximum = 1024

    /// The latest request for each sequence number modulo `maximum`, and its time; empty before the first request.
    private var latest: [(request: RetransmissionRequest, time: UInt64)?] = []

    /// Stores a request and returns true, unless one for the same packet was stored less than `pause`
    /// nanoseconds ago.
    mutating func isDue(_ request: RetransmissionRequest, at now: UInt64, every pause: UInt64) -> Bool {
        if latest.isEmpty { latest = Array(repeating: nil, count: Self.maximum) }
        let place = Int(request.number) % Self.maximum
        if let known = latest[place], known.request == request, now < known.time &+ pause { return false }
        latest[place] = (request, now)
        return true
    }
}
