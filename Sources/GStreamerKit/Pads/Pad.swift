package import CGStreamer
package import GLibKit

/// A strong reference to a GstPad.
package final class Pad: @unchecked Sendable {  // GstPad locks itself
    package let object: ObjectRef

    package init(_ object: ObjectRef) { self.object = object }

    package var pointer: UnsafeMutablePointer<GstPad> { object.cast(to: GstPad.self) }

    package var name: String {
        guard let name = gst_object_get_name(object.cast(to: GstObject.self)) else { return "" }
        defer { g_free(name) }
        return String(cString: name)
    }

    package var isSource: Bool { gst_pad_get_direction(pointer) == GST_PAD_SRC }

    /// The negotiated caps, or the supported caps if nothing is negotiated yet.
    package var caps: Caps? {
        (gst_pad_get_current_caps(pointer) ?? gst_pad_query_caps(pointer, nil)).map(Caps.init(taking:))
    }

    /// Reads a text tag of the stream at this pad, such as `image-orientation`; nil if there is none.
    package func tag(_ name: String) -> String? {
        var index: guint = 0
        while let event = gst_pad_get_sticky_event(pointer, GST_EVENT_TAG, index) {
            defer { gst_event_unref(event) }
            index += 1
            var list: UnsafeMutablePointer<GstTagList>?
            gst_event_parse_tag(event, &list)
            var text: UnsafeMutablePointer<gchar>?
            guard let list, gst_tag_list_get_string(list, name, &text) != 0, let text else { continue }
            defer { g_free(text) }
            return String(cString: text)
        }
        return nil
    }

    package var isLinked: Bool { pointer.pointee.peer != nil }

    package func link(to sink: Pad) -> Bool { gst_pad_link(pointer, sink.pointer) == GST_PAD_LINK_OK }

    package func sendForceKeyUnit() { gst_pad_send_event(pointer, callrunner_event_force_key_unit(1)) }

    /// Calls `handler` with the size of each buffer that passes, on the streaming thread.
    ///
    /// The probe lives as long as the pad. Each buffer of a list counts.
    package func onBuffer(_ handler: @escaping @Sendable (_ bytes: Int) -> Void) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { _, info in
            if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue != 0 {
                guard let list = gst_pad_probe_info_get_buffer_list(info) else { return GST_PAD_PROBE_OK }
                for index in 0..<gst_buffer_list_length(list) {
                    handler(Int(gst_buffer_get_size(gst_buffer_list_get(list, index))))
                }
            } else if let buffer = gst_pad_probe_info_get_buffer(info) {
                handler(Int(gst_buffer_get_size(buffer)))
            }
            return GST_PAD_PROBE_OK
        }
    }

    /// Calls `handler` with the end time of each buffer that passes, in nanoseconds of its stream.
    package func onTime(_ handler: @escaping @Sendable (_ end: UInt64) -> Void) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { _, info in
            guard let buffer = gst_pad_probe_info_get_buffer(info) else { return GST_PAD_PROBE_OK }
            let (time, duration) = (UInt64(buffer.pointee.pts), UInt64(buffer.pointee.duration))
            guard time != UInt64.max else { return GST_PAD_PROBE_OK }
            let (end, isBeyond) = time.addingReportingOverflow(duration == UInt64.max ? 0 : duration)
            handler(isBeyond ? time : end)
            return GST_PAD_PROBE_OK
        }
    }

    /// Calls `handler` with each buffer that passes, on the streaming thread.
    ///
    /// The samples keep the stream's own times. Buffer lists are skipped. The probe lives as long as the pad.
    package func onSample(_ handler: @escaping @Sendable (MediaSample) -> Void) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { pad, info in
            guard let buffer = gst_pad_probe_info_get_buffer(info), let caps = gst_pad_get_current_caps(pad)
            else { return GST_PAD_PROBE_OK }
            handler(MediaSample(taking: MediaSample.shallowCopy(of: buffer), caps: Caps(taking: caps)))
            return GST_PAD_PROBE_OK
        }
    }

    /// Calls `handler` for each upstream force-key-unit event that passes.
    package func onForceKeyUnit(_ handler: @escaping @Sendable () -> Void) {
        onUpstreamEvent { event in if gst_video_event_is_force_key_unit(event) != 0 { handler() } }
    }

    /// Calls `handler` for each upstream event that passes; the event is valid only inside it.
    func onUpstreamEvent(_ handler: @escaping @Sendable (UnsafeMutablePointer<GstEvent>) -> Void) {
        addProbe(GST_PAD_PROBE_TYPE_EVENT_UPSTREAM) { _, info in
            if let event = gst_pad_probe_info_get_event(info) { handler(event) }
            return GST_PAD_PROBE_OK
        }
    }
}
