internal import CGStreamer

extension Pad {
    /// Keeps back each RTCP packet that passes and says BYE (RFC 3550 §6.6).
    ///
    /// An rtpsession of 1.22 says it for every stream that was silent for five seconds, such as a camera that is off or
    /// an RTX that nobody needed; and some peers (aiortc) then never decode that stream again.
    func keepBackGoodbyes() {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { _, info in
            var map = GstMapInfo()
            guard let buffer = gst_pad_probe_info_get_buffer(info),
                gst_buffer_map(buffer, &map, GST_MAP_READ) != 0
            else { return GST_PAD_PROBE_OK }
            defer { gst_buffer_unmap(buffer, &map) }
            let bytes = UnsafeRawBufferPointer(start: map.data, count: Int(map.size))
            return RTCPPacket.saysGoodbye(bytes) ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK
        }
    }
}

/// What one RTCP packet holds (RFC 3550 §6.1).
enum RTCPPacket {
    private static let goodbye: UInt8 = 203

    /// Whether any of its parts is a BYE.
    static func saysGoodbye(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        var rest = bytes[...]
        while rest.count >= 4 {
            let head = Array(rest.prefix(4))
            if head[1] == goodbye { return true }
            rest = rest.dropFirst((Int(head[2]) * 256 + Int(head[3]) + 1) * 4)
        }
        return false
    }
}
