internal import CGStreamer
internal import GLibKit

/// A limit on the packets that are retransmitted on request.
///
/// An rtprtxsend (1.22) copies a packet for each request into an unlimited queue. A hostile peer may request the same
/// packets thousands of times in one datagram.
struct RetransmissionLimit: Sendable {
    enum Answer: Hashable, Sendable { case ignore, send, sendTwice }

    /// The minimum time between two responses to requests for the same packet, in nanoseconds.
    ///
    /// No honest peer repeats a request earlier, because it waits for a part of the round trip.
    static let shortestPause: UInt64 = 5_000_000
    /// The number of packets that may be retransmitted in a burst: several times the number that webrtcbin stores.
    static let burst = 4000.0
    /// The number of packets that may be retransmitted per second, in addition to those that `perPacket` allows.
    static let perSecond = 300.0
    /// The number of packets that may be retransmitted for each packet that was sent: more than a path that loses every
    /// third packet needs.
    static let perPacket = 2.0

    private var answered = RecentRequests()
    private var repeated = RecentRequests()
    private var allowance = Allowance(maximum: burst, perSecond: perSecond)
    private var packetsSent = 0

    /// Decides on the response to a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The current time in nanoseconds.
    ///   - packetsSent: The number of packets that were sent so far, without retransmissions.
    ///   - pause: The minimum time between two responses that send the same packet twice, in nanoseconds; 0 if no
    ///     packet is to be sent twice.
    /// - Returns: Whether the packet is sent once, twice or not at all.
    mutating func answer(
        to request: RetransmissionRequest,
        at now: UInt64,
        packetsSent: Int,
        repeatingEvery pause: UInt64
    ) -> Answer {
        allowance.add(Double(packetsSent - self.packetsSent) * Self.perPacket)
        self.packetsSent = packetsSent
        guard answered.isDue(request, at: now, every: Self.shortestPause), allowance.take(1, at: now) else {
            return .ignore
        }
        guard pause > 0, repeated.isDue(request, at: now, every: pause), allowance.take(1, at: now) else {
            return .send
        }
        return .sendTwice
    }
}

extension Pad {
    private static let isRepetition = "is-repetition"

    /// Passes, duplicates or drops retransmission requests, as determined by `decide`, which is called on the thread
    /// that received them.
    ///
    /// This must be the source pad of an rtprtxsend.
    func answerRetransmissionRequests(
        by decide: @escaping @Sendable (RetransmissionRequest) -> RetransmissionLimit.Answer
    ) {
        addProbe(GST_PAD_PROBE_TYPE_EVENT_UPSTREAM) { pad, info in
            guard let event = gst_pad_probe_info_get_event(info),
                let structure = gst_event_get_structure(event),
                gst_structure_has_name(structure, "GstRTPRetransmissionRequest") != 0,
                gst_structure_has_field(structure, Self.isRepetition) == 0
            else { return GST_PAD_PROBE_OK }
            guard let request = RetransmissionRequest(Structure(structure)) else { return GST_PAD_PROBE_DROP }
            switch decide(request) {
            case .ignore: return GST_PAD_PROBE_DROP
            case .send: return GST_PAD_PROBE_OK
            case .sendTwice:
                guard let copy = gst_structure_copy(structure) else { return GST_PAD_PROBE_OK }
                callrunner_structure_mark(copy, Self.isRepetition)
                gst_pad_send_event(pad, gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, copy))
                return GST_PAD_PROBE_OK
            }
        }
    }
}

extension RetransmissionRequest {
    /// Parses a `GstRTPRetransmissionRequest`; nil if it does not identify a packet.
    fileprivate init?(_ structure: Structure) {
        guard let ssrc = structure.uint("ssrc"),
            let number = structure.uint("seqnum").flatMap(UInt16.init(exactly:))
        else { return nil }
        self.init(ssrc: ssrc, number: number)
    }
}
