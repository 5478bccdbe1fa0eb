internal import CGStreamer
internal import Synchronization

extension Pad {
    /// Keeps back access units of H.264 that packets were lost of, and asks for a keyframe in place of a torn one.
    ///
    /// For the source pad of an `rtph264depay` that gives whole access units as a byte stream.
    package func keepBackTornKeyframes() {
        let units = Mutex(TornKeyframes())
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { pad, info in
            guard let buffer = gst_pad_probe_info_get_buffer(info) else { return GST_PAD_PROBE_OK }
            switch units.withLock({ $0.judge(buffer) }) {
            case .passes: return GST_PAD_PROBE_OK
            case .isTorn: return GST_PAD_PROBE_DROP
            case .isTornKeyframe:
                gst_pad_send_event(pad, callrunner_event_force_key_unit(0))
                return GST_PAD_PROBE_DROP
            }
        }
    }
}

extension TornKeyframes {
    fileprivate mutating func judge(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Verdict {
        let flags = UInt32(gst_buffer_get_flags(buffer).rawValue)
        var map = GstMapInfo()
        defer { if map.memory != nil { gst_buffer_unmap(buffer, &map) } }
        return judge(
            isAfterLoss: flags & UInt32(GST_BUFFER_FLAG_DISCONT.rawValue) != 0,
            isDelta: flags & UInt32(GST_BUFFER_FLAG_DELTA_UNIT.rawValue) != 0
        ) {
            guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else {
                return UnsafeRawBufferPointer(start: nil, count: 0)
            }
            return UnsafeRawBufferPointer(start: map.data, count: Int(map.size))
        }
    }
}
