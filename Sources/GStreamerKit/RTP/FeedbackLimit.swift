/// A limit on the RTCP packets that a session reads.
///
/// For each packet whose retransmission is requested, and for each keyframe request, a session sends an event through
/// the elements that produce the stream. One datagram may contain hundreds of thousands of requests.
struct FeedbackLimit: Sendable {
    /// The maximum length of a compound packet in bytes; the packets of peers are shorter, because they fit into the
    /// MTU.
    static let longest = 1500
    /// The number of requests that a session reads in a burst, and per second.
    static let (burst, perSecond) = (10_000.0, 5000.0)
    /// The number of packets that a session reads in a burst, and per second.
    static let (packetBurst, packetsPerSecond) = (2000.0, 1000.0)
    /// The limits on payload-specific feedback (RFC 4585 §6.3), such as keyframe requests, in a burst and per second;
    /// an encoder may respond to each packet.
    static let (payloadBurst, payloadsPerSecond) = (200.0, 100.0)

    private var allowance = Allowance(maximum: burst, perSecond: perSecond)
    private var packets = Allowance(maximum: packetBurst, perSecond: packetsPerSecond)
    private var payloads = Allowance(maximum: payloadBurst, perSecond: payloadsPerSecond)

    /// Decides whether a session may read this compound packet at this time in nanoseconds.
    mutating func admits(_ bytes: some RandomAccessCollection<UInt8>, at now: UInt64) -> Bool {
        guard bytes.count <= Self.longest, packets.take(1, at: now) else { return false }
        let feedbacks = RTCPPacket.payloadFeedbacks(bytes)
        guard feedbacks == 0 || payloads.take(Double(feedbacks), at: now) else { return false }
        let requests = RTCPPacket.requests(bytes)
        return requests == 0 || allowance.take(Double(requests), at: now)
    }
}
