internal import CGStreamer

extension Pad {
    /// Drops each passing RTCP packet that contains a BYE (RFC 3550 §6.6).
    ///
    /// An rtpsession of 1.22 sends BYE for every stream that was silent for five seconds, such as a camera
    /// that is off or an RTX stream that nobody needed; some peers (aiortc) then never decode that stream
    /// again.
    func keepBackGoodbyes() { dropRTCP { RTCPPacket.saysGoodbye($0) } }

    /// Drops RTCP packets with a report or a description of a source that `admits` refuses.
    func dropReports(unless admits: @escaping @Sendable (_ ssrc: UInt32) -> Bool) {
        dropRTCP { !RTCPPacket.sources($0).allSatisfy(admits) }
    }

    private func dropRTCP(where isUnwanted: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { _, info in
            var map = GstMapInfo()
            guard let buffer = gst_pad_probe_info_get_buffer(info),
                gst_buffer_map(buffer, &map, GST_MAP_READ) != 0
            else { return GST_PAD_PROBE_OK }
            defer { gst_buffer_unmap(buffer, &map) }
            let bytes = UnsafeRawBufferPointer(start: map.data, count: Int(map.size))
            return isUnwanted(bytes) ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK
        }
    }
}
