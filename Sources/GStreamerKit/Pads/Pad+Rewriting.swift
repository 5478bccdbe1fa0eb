internal import CGStreamer

extension Pad {
    /// Gives other bytes in the place of some to whoever pulls ranges out of this pad.
    ///
    /// - Parameters:
    ///   - places: where they begin; bytes from the beginning of the stream.
    ///   - bytes: what stands there instead.
    package func replace(_ places: [UInt64], with bytes: [UInt8]) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_PULL) { _, info in
            guard let buffer = gst_pad_probe_info_get_buffer(info) else { return GST_PAD_PROBE_OK }
            // A source makes a buffer of its own for each range.
            let offset = UInt64(info.pointee.offset)
            let end = offset + UInt64(gst_buffer_get_size(buffer))
            for place in places where (offset..<end).contains(place) {
                gst_buffer_fill(buffer, gsize(place - offset), bytes, gsize(bytes.count))
            }
            return GST_PAD_PROBE_OK
        }
    }

    /// Puts everything that passes on a time line of its own, without an end: time stamps count from `base`.
    ///
    /// - Parameter base: where zero comes to stand; nanoseconds.
    package func openSegments(at base: UInt64) {
        addProbe(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) { _, info in
            guard let event = gst_pad_probe_info_get_event(info), event.pointee.type == GST_EVENT_SEGMENT
            else { return GST_PAD_PROBE_OK }
            var segment = GstSegment()
            gst_segment_init(&segment, GST_FORMAT_TIME)
            segment.base = guint64(base)
            // Whoever replaces an event owns it.
            gst_event_unref(event)
            info.pointee.data = UnsafeMutableRawPointer(gst_event_new_segment(&segment))
            return GST_PAD_PROBE_OK
        }
    }

    /// What tells this stream from the others of its source; nil before it has begun.
    package var streamID: String? {
        guard let id = gst_pad_get_stream_id(pointer) else { return nil }
        defer { g_free(id) }
        return String(cString: id)
    }
}
