internal import CGStreamer
internal import Synchronization

/// The transport-wide numbers of the packets of an RTP session, and the peer's feedback about them
/// (draft-holmer-rmcat-transport-wide-cc-extensions-01).
///
/// The rtpsession of GStreamer 1.22 could do the same. However, it stores each packet until the peer reports on it,
/// even if the peer never does, and it stores reports on packets that were never sent. It also creates a structure for
/// each packet of a report, and a report of 36 bytes may contain 65,535 packets.
final class TransportNumbering: Sendable {
    private static let metadata = GstBufferCopyFlags(
        rawValue: GST_BUFFER_COPY_FLAGS.rawValue | GST_BUFFER_COPY_TIMESTAMPS.rawValue
            | GST_BUFFER_COPY_META.rawValue
    )

    private let sent = Mutex(SentPackets())
    /// The IDs of the header extension, as bits; media sections may negotiate different ones.
    private let ids = Atomic(UInt16(0))
    private let handler: @Sendable ([TransportPacket]) -> Void

    /// Creates a numbering that passes the peer's feedback to `handler`, on the thread that received it.
    init(_ handler: @escaping @Sendable ([TransportPacket]) -> Void) { self.handler = handler }

    /// Hides the header extension in the formats that arrive at `pad`, the session's sink pad for packets to send, so
    /// that the session does not write the extension.
    func hide(at pad: Pad) {
        pad.addProbe(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) { [self] _, info in
            guard let event = gst_pad_probe_info_get_event(info), event.pointee.type == GST_EVENT_CAPS else {
                return GST_PAD_PROBE_OK
            }
            var pointer: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &pointer)
            guard let caps = pointer.map(Caps.init(retaining:)) else { return GST_PAD_PROBE_OK }
            let found = TransportNumber.ids(in: caps)
            guard !found.isEmpty else { return GST_PAD_PROBE_OK }
            for id in found { ids.bitwiseOr(1 << UInt16(id), ordering: .relaxed) }
            let hidden = withExtendedLifetime(caps.without(found.map { "extmap-\($0)" })) {
                gst_event_new_caps($0.pointer)
            }
            // The probe owns the event that it replaces.
            gst_event_unref(event)
            info.pointee.data = hidden.map { UnsafeMutableRawPointer($0) }
            return GST_PAD_PROBE_OK
        }
    }

    /// Writes a number into each packet that leaves the session at `pad` with the header extension.
    func write(at pad: Pad) {
        pad.addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { [self] _, info in
            let ids = ids.load(ordering: .relaxed)
            if ids != 0 { info.forEachWritableBuffer { write(ids, into: $0) } }
            return GST_PAD_PROBE_OK
        }
    }

    private func write(_ ids: UInt16, into packet: UnsafeMutablePointer<GstBuffer>) {
        var rtp = GstRTPBuffer()
        let access = GstMapFlags(rawValue: GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
        guard gst_rtp_buffer_map(packet, access, &rtp) != 0 else { return }
        defer { gst_rtp_buffer_unmap(&rtp) }
        var number: UInt16?
        for id in 1...14 as ClosedRange<UInt8> where ids & 1 << UInt16(id) != 0 {
            var (data, size): (gpointer?, guint) = (nil, 0)
            guard gst_rtp_buffer_get_extension_onebyte_header(&rtp, id, 0, &data, &size) != 0, size == 2,
                let data
            else { continue }
            let (length, now) = (Int(gst_rtp_buffer_get_payload_len(&rtp)), MediaClock.shared.now)
            let written = number ?? sent.withLock { $0.add(size: length, at: now) }
            data.storeBytes(of: written.bigEndian, as: UInt16.self)
            number = written
        }
    }

    /// Removes transport-wide feedback from the RTCP packets that arrive at `pad`, and passes it to the handler.
    func takeFeedback(at pad: Pad) {
        pad.addProbe(GST_PAD_PROBE_TYPE_BUFFER) { [self] _, info in
            guard let buffer = gst_pad_probe_info_get_buffer(info),
                let (rest, reports) = buffer.withBytes(RTCPPacket.separatingTransportFeedback) ?? nil
            else { return GST_PAD_PROBE_OK }
            for report in reports.compactMap({ TransportFeedback($0[...]) }) {
                let outcome = sent.withLock { $0.outcome(of: report) }
                if !outcome.isEmpty { handler(outcome) }
            }
            guard !rest.isEmpty, let copy = gst_buffer_new_allocate(nil, gsize(rest.count), nil) else {
                return GST_PAD_PROBE_DROP
            }
            gst_buffer_fill(copy, 0, rest, gsize(rest.count))
            gst_buffer_copy_into(copy, buffer, Self.metadata, 0, .max)
            // The probe owns the buffer that it replaces.
            gst_buffer_unref(buffer)
            info.pointee.data = UnsafeMutableRawPointer(copy)
            return GST_PAD_PROBE_OK
        }
    }
}
