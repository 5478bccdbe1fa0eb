internal import CGStreamer
internal import GLibKit
internal import Synchronization

extension JitterBuffer {
    /// The clock rate of a stream and the lateness of its packets, as measured so far.
    private struct Stream {
        var lateness = Lateness()
        var payloadType: UInt8?
        /// The clock rate of `payloadType` in hertz; nil if it is not negotiated.
        var rate: UInt32? { didSet { lastRate = rate ?? lastRate } }
        /// The latest clock rate that was known; nil before the first one.
        private(set) var lastRate: UInt32?
        var packets = 0

        /// Counts a packet of this type, and returns whether the clock rate has to be queried.
        mutating func needsRate(of payloadType: UInt8) -> Bool {
            packets &+= 1
            if self.payloadType == payloadType { return rate == nil && packets.isMultiple(of: 50) }
            self.payloadType = payloadType
            return true
        }
    }

    /// Prevents late packets from changing the times of the packets after them.
    ///
    /// An rtpjitterbuffer treats a packet that is later than its latency as the beginning of a new stream, and shifts
    /// the times of all packets after it. After a network outage, the times of audio and video would shift at different
    /// positions, and the streams would be out of sync in between. Therefore such a packet gets an earlier arrival
    /// time, which is within the latency. If packets stay late, their times adapt within seconds.
    ///
    /// An rtpjitterbuffer also accepts any timestamp of a retransmitted packet, and could wait for hours; retransmitted
    /// packets with an implausible timestamp are dropped.
    func keepTimes() {
        guard let input = element.pad("sink") else { return }
        let stream = Mutex(Stream())
        let weak = WeakObjectRef(element.object)
        input.addProbe(GST_PAD_PROBE_TYPE_BUFFER) { pad, info in
            guard let buffer = gst_pad_probe_info_get_buffer(info),
                let element = weak.object.map(Element.init),
                let header = RTPHeader(buffer)
            else { return GST_PAD_PROBE_OK }
            let flags = gst_buffer_get_flags(buffer).rawValue
            // Retransmitted packets are late, which an rtpjitterbuffer takes into account.
            guard flags & GST_RTP_BUFFER_FLAG_RETRANSMISSION.rawValue == 0 else {
                let isNear = stream.withLock { stream in
                    stream.lastRate.map { stream.lateness.isNear(header.stamp, rate: $0) } ?? false
                }
                return isNear ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
            }
            let arrival = UInt64(buffer.pointee.dts)
            guard arrival != UInt64.max else { return GST_PAD_PROBE_OK }
            let lateness = stream.withLock { stream -> UInt64 in
                if stream.needsRate(of: header.payloadType) {
                    stream.rate = Self.clockRate(of: header.payloadType, at: pad, of: element)
                }
                return stream.rate.map {
                    stream.lateness.next(arrival: arrival, stamp: header.stamp, rate: $0)
                } ?? 0
            }
            guard lateness > 0 else { return GST_PAD_PROBE_OK }
            // The jitter buffer's own estimate of the usual transit time differs by some milliseconds.
            let tolerated = UInt64(max(0, JitterBuffer(element: element).latency)) * 1_000_000 / 2
            guard lateness > tolerated else { return GST_PAD_PROBE_OK }
            let excess = min(lateness - tolerated, arrival)
            guard let object = info.pointee.data?.assumingMemoryBound(to: GstMiniObject.self),
                let writable = gst_mini_object_make_writable(object)
            else { return GST_PAD_PROBE_OK }
            info.pointee.data = UnsafeMutableRawPointer(writable)
            let copy = UnsafeMutableRawPointer(writable).assumingMemoryBound(to: GstBuffer.self)
            copy.pointee.dts = guint64(arrival - excess)
            if UInt64(copy.pointee.pts) == arrival { copy.pointee.pts = copy.pointee.dts }
            return GST_PAD_PROBE_OK
        }
    }

    private static func clockRate(
        of payloadType: UInt8,
        at pad: UnsafeMutablePointer<GstPad>,
        of element: Element
    ) -> UInt32? {
        let own = gst_pad_get_current_caps(pad).map(Caps.init(taking:))
        let rate =
            own?.int("clock-rate")
            ?? callrunner_request_caps(element.pointer, guint(payloadType)).map(Caps.init(taking:))?
            .int("clock-rate")
        return rate.flatMap(UInt32.init(exactly:))
    }
}

/// The fields of an RTP header (RFC 3550 §5.1) that determine the time of a packet.
private struct RTPHeader {
    let payloadType: UInt8
    let stamp: UInt32

    init?(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        var bytes: UInt64 = 0
        guard gst_buffer_extract(buffer, 0, &bytes, 8) == 8 else { return nil }
        payloadType = UInt8(truncatingIfNeeded: bytes.bigEndian >> 48) & 0x7F
        stamp = UInt32(truncatingIfNeeded: bytes.bigEndian)
    }
}
