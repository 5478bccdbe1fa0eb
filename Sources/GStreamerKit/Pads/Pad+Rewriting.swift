internal import CGStreamer

extension Pad {
    /// Overwrites bytes of the ranges that are pulled from this pad.
    ///
    /// - Parameters:
    ///   - places: The positions to overwrite, in bytes from the beginning of the stream.
    ///   - bytes: The bytes to write at each position.
    package func replace(_ places: [UInt64], with bytes: [UInt8]) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_PULL) { _, info in
            guard let buffer = gst_pad_probe_info_get_buffer(info) else { return GST_PAD_PROBE_OK }
            // A source creates a new buffer for each range, so it may be changed.
            let offset = UInt64(info.pointee.offset)
            let end = offset + UInt64(gst_buffer_get_size(buffer))
            for place in places where (offset..<end).contains(place) {
                gst_buffer_fill(buffer, gsize(place - offset), bytes, gsize(bytes.count))
            }
            return GST_PAD_PROBE_OK
        }
    }

    /// Replaces passing segments by an open-ended one, so that time stamps count from `base`.
    ///
    /// - Parameter base: The running time of time stamp zero, in nanoseconds.
    package func openSegments(at base: UInt64) {
        addProbe(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) { _, info in
            guard let event = gst_pad_probe_info_get_event(info), event.pointee.type == GST_EVENT_SEGMENT
            else { return GST_PAD_PROBE_OK }
            var segment = GstSegment()
            gst_segment_init(&segment, GST_FORMAT_TIME)
            segment.base = guint64(base)
            // The probe owns the event that it replaces.
            gst_event_unref(event)
            info.pointee.data = UnsafeMutableRawPointer(gst_event_new_segment(&segment))
            return GST_PAD_PROBE_OK
        }
    }

    /// The ID that distinguishes this stream from others of its source; nil before the stream begins.
    package var streamID: String? {
        guard let id = gst_pad_get_stream_id(pointer) else { return nil }
        defer { g_free(id) }
        return String(cString: id)
    }
}
