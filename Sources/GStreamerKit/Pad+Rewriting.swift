internal import CGStreamer

extension Pad {
    /// Gives other bytes in the place of some to whoever pulls ranges out of this pad.
    ///
    /// - Parameters:
    ///   - places: where they begin; bytes from the beginning of the stream.
    ///   - bytes: what stands there instead.
    package func replace(_ places: [UInt64], with bytes: [UInt8]) {
        let box = Unmanaged.passRetained(RangeProbe(places, bytes))
        let mask = GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_PULL.rawValue
        gst_pad_add_probe(
            pointer,
            GstPadProbeType(rawValue: mask),
            { _, info, data in
                guard let info, let data, let buffer = gst_pad_probe_info_get_buffer(info) else {
                    return GST_PAD_PROBE_OK
                }
                Unmanaged<RangeProbe>.fromOpaque(data).takeUnretainedValue()
                    .change(buffer, UInt64(info.pointee.offset))
                return GST_PAD_PROBE_OK
            },
            box.toOpaque(),
            { data in
                guard let data else { return }
                Unmanaged<RangeProbe>.fromOpaque(data).release()
            }
        )
    }

    /// Puts everything that passes on a time line of its own, without an end: time stamps count from `base`.
    ///
    /// - Parameter base: where zero comes to stand; nanoseconds.
    package func openSegments(at base: UInt64) {
        let box = Unmanaged.passRetained(SegmentProbe(base))
        gst_pad_add_probe(
            pointer,
            GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
            { _, info, data in
                guard let info, let data, let event = gst_pad_probe_info_get_event(info) else {
                    return GST_PAD_PROBE_OK
                }
                info.pointee.data = Unmanaged<SegmentProbe>.fromOpaque(data).takeUnretainedValue().open(event)
                return GST_PAD_PROBE_OK
            },
            box.toOpaque(),
            { data in
                guard let data else { return }
                Unmanaged<SegmentProbe>.fromOpaque(data).release()
            }
        )
    }

    /// What tells this stream from the others of its source; nil before it has begun.
    package var streamID: String? {
        guard let id = gst_pad_get_stream_id(pointer) else { return nil }
        defer { g_free(id) }
        return String(cString: id)
    }
}

/// What a pad's probe of ranges holds, released by the probe's own destroy notify.
private final class RangeProbe: Sendable {
    private let places: [UInt64]
    private let bytes: [UInt8]

    init(_ places: [UInt64], _ bytes: [UInt8]) { (self.places, self.bytes) = (places, bytes) }

    /// A source makes a buffer of its own for each range.
    func change(_ buffer: UnsafeMutablePointer<GstBuffer>, _ offset: UInt64) {
        let end = offset + UInt64(gst_buffer_get_size(buffer))
        for place in places where (offset..<end).contains(place) {
            gst_buffer_fill(buffer, gsize(place - offset), bytes, gsize(bytes.count))
        }
    }
}

/// What a pad's probe of segments holds, released by the probe's own destroy notify.
private final class SegmentProbe: Sendable {
    private let base: UInt64

    init(_ base: UInt64) { self.base = base }

    /// The event to pass on in place of `event`, which is taken over.
    func open(_ event: UnsafeMutablePointer<GstEvent>) -> UnsafeMutableRawPointer {
        guard event.pointee.type == GST_EVENT_SEGMENT else { return UnsafeMutableRawPointer(event) }
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        segment.base = guint64(base)
        defer { gst_event_unref(event) }
        // Made of a valid segment, it is never null.
        return UnsafeMutableRawPointer(gst_event_new_segment(&segment)!)
    }
}
