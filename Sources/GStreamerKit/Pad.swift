package import CGStreamer
package import GLibKit

/// One strong reference to a GstPad.
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

    /// The caps negotiated, or what the pad could do where nothing is negotiated yet.
    package var caps: Caps? {
        (gst_pad_get_current_caps(pointer) ?? gst_pad_query_caps(pointer, nil)).map(Caps.init(taking:))
    }

    /// A text tag of the stream that has reached this pad, as in `image-orientation`; nil where it has none.
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
    /// The probe goes with the pad. Lists count as their buffers.
    package func onBuffer(_ handler: @escaping @Sendable (_ bytes: Int) -> Void) {
        let box = Unmanaged.passRetained(BufferProbe(handler))
        let mask = GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue
        gst_pad_add_probe(
            pointer,
            GstPadProbeType(rawValue: mask),
            { _, info, data in
                guard let info, let data else { return GST_PAD_PROBE_OK }
                Unmanaged<BufferProbe>.fromOpaque(data).takeUnretainedValue().count(info)
                return GST_PAD_PROBE_OK
            },
            box.toOpaque(),
            { data in
                guard let data else { return }
                Unmanaged<BufferProbe>.fromOpaque(data).release()
            }
        )
    }

    /// Calls `handler` with the time at which each buffer that passes ends, in nanoseconds of its stream.
    package func onTime(_ handler: @escaping @Sendable (_ end: UInt64) -> Void) {
        let box = Unmanaged.passRetained(TimeProbe(handler))
        gst_pad_add_probe(
            pointer,
            GST_PAD_PROBE_TYPE_BUFFER,
            { _, info, data in
                guard let info, let data, let buffer = gst_pad_probe_info_get_buffer(info) else {
                    return GST_PAD_PROBE_OK
                }
                Unmanaged<TimeProbe>.fromOpaque(data).takeUnretainedValue().tell(buffer)
                return GST_PAD_PROBE_OK
            },
            box.toOpaque(),
            { data in
                guard let data else { return }
                Unmanaged<TimeProbe>.fromOpaque(data).release()
            }
        )
    }

    /// Calls `handler` with each buffer that passes, at the stream's own times, on the streaming thread; lists are
    /// passed over.
    ///
    /// The probe goes with the pad.
    package func onSample(_ handler: @escaping @Sendable (MediaSample) -> Void) {
        gst_pad_add_probe(
            pointer,
            GST_PAD_PROBE_TYPE_BUFFER,
            { pad, info, data in
                guard let pad, let info, let data, let buffer = gst_pad_probe_info_get_buffer(info),
                    let caps = gst_pad_get_current_caps(pad)
                else { return GST_PAD_PROBE_OK }
                let copy = MediaSample.shallowCopy(of: buffer)
                Unmanaged<SampleProbe>.fromOpaque(data).takeUnretainedValue().handler(
                    MediaSample(taking: copy, caps: Caps(taking: caps))
                )
                return GST_PAD_PROBE_OK
            },
            Unmanaged.passRetained(SampleProbe(handler)).toOpaque(),
            { data in
                guard let data else { return }
                Unmanaged<SampleProbe>.fromOpaque(data).release()
            }
        )
    }

    /// Calls `handler` for each upstream force-key-unit event that passes.
    package func onForceKeyUnit(_ handler: @escaping @Sendable () -> Void) {
        onUpstreamEvent { event in if gst_video_event_is_force_key_unit(event) != 0 { handler() } }
    }

    /// Calls `handler` for each upstream event that passes; the event is valid only inside it.
    func onUpstreamEvent(_ handler: @escaping @Sendable (UnsafeMutablePointer<GstEvent>) -> Void) {
        let box = Unmanaged.passRetained(EventProbe(handler))
        gst_pad_add_probe(
            pointer,
            GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
            { _, info, data in
                guard let info, let data, let event = gst_pad_probe_info_get_event(info) else {
                    return GST_PAD_PROBE_OK
                }
                Unmanaged<EventProbe>.fromOpaque(data).takeUnretainedValue().handler(event)
                return GST_PAD_PROBE_OK
            },
            box.toOpaque(),
            { data in
                guard let data else { return }
                Unmanaged<EventProbe>.fromOpaque(data).release()
            }
        )
    }
}

/// What a pad's buffer probe holds, released by the probe's own destroy notify.
private final class BufferProbe: Sendable {
    let handler: @Sendable (Int) -> Void
    init(_ handler: @escaping @Sendable (Int) -> Void) { self.handler = handler }

    func count(_ info: UnsafeMutablePointer<GstPadProbeInfo>) {
        if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue != 0 {
            guard let list = gst_pad_probe_info_get_buffer_list(info) else { return }
            for index in 0..<gst_buffer_list_length(list) {
                handler(Int(gst_buffer_get_size(gst_buffer_list_get(list, index))))
            }
        } else if let buffer = gst_pad_probe_info_get_buffer(info) {
            handler(Int(gst_buffer_get_size(buffer)))
        }
    }
}

/// What a pad's time probe holds, released by the probe's own destroy notify.
private final class TimeProbe: Sendable {
    let handler: @Sendable (UInt64) -> Void
    init(_ handler: @escaping @Sendable (UInt64) -> Void) { self.handler = handler }

    func tell(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        let (time, duration) = (UInt64(buffer.pointee.pts), UInt64(buffer.pointee.duration))
        guard time != UInt64.max else { return }
        let (end, isBeyond) = time.addingReportingOverflow(duration == UInt64.max ? 0 : duration)
        handler(isBeyond ? time : end)
    }
}

/// What a pad's sample probe holds, released by the probe's own destroy notify.
private final class SampleProbe: Sendable {
    let handler: @Sendable (MediaSample) -> Void
    init(_ handler: @escaping @Sendable (MediaSample) -> Void) { self.handler = handler }
}

/// What a pad's event probe holds, released by the probe's own destroy notify.
private final class EventProbe: Sendable {
    let handler: @Sendable (UnsafeMutablePointer<GstEvent>) -> Void
    init(_ handler: @escaping @Sendable (UnsafeMutablePointer<GstEvent>) -> Void) { self.handler = handler }
}
