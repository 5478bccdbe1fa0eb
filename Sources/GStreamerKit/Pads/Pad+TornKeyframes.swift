internal import CGStreamer
internal import Synchronization

extension Pad {
    /// Drops H.264 access units that packet loss made incomplete, and requests a keyframe for an incomplete
    /// one.
    ///
    /// For the source pad of an `rtph264depay` that outputs whole access units as a byte stream.
    package func keepBackTornKeyframes() {
        let units = Mutex(TornKeyframes())
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { pad, info in
            guard let buffer = gst_pad_probe_info_get_buffer(info) else { return GST_PAD_PROBE_OK }
            let unit = AccessUnit(buffer)
            let verdict = units.withLock {
                $0.judge(isAfterLoss: unit.isAfterLoss, isMarked: unit.isMarked, keyframe: unit.keyframe)
            }
            switch verdict {
            case .passes: return GST_PAD_PROBE_OK
            case .isTorn: return GST_PAD_PROBE_DROP
            case .isTornKeyframe:
                gst_pad_send_event(pad, callrunner_event_force_key_unit(0))
                return GST_PAD_PROBE_DROP
            }
        }
    }
}

/// The properties of an access unit, read from its buffer.
private struct AccessUnit {
    let isAfterLoss: Bool
    let isMarked: Bool
    let keyframe: KeyframeBeginning?

    init(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        let flags = UInt32(gst_buffer_get_flags(buffer).rawValue)
        isAfterLoss = flags & UInt32(GST_BUFFER_FLAG_DISCONT.rawValue) != 0
        isMarked = flags & UInt32(GST_BUFFER_FLAG_MARKER.rawValue) != 0
        guard flags & UInt32(GST_BUFFER_FLAG_DELTA_UNIT.rawValue) == 0 else {
            keyframe = nil
            return
        }
        var map = GstMapInfo()
        guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else {
            keyframe = KeyframeBeginning(of: UnsafeRawBufferPointer(start: nil, count: 0))
            return
        }
        defer { gst_buffer_unmap(buffer, &map) }
        keyframe = KeyframeBeginning(of: UnsafeRawBufferPointer(start: map.data, count: Int(map.size)))
    }
}
