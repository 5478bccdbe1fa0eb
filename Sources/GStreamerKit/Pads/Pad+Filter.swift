internal import CGStreamer
internal import Synchronization

extension Pad {
    /// Drops all data and events that arrive at this sink pad, so that its element does nothing.
    package func dropEverything() {
        addProbe(GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM, GST_PAD_PROBE_TYPE_PULL) { _, _ in GST_PAD_PROBE_DROP }
    }

    /// The scheduling mode in which a part of a stream reaches a pad.
    package enum Scheduling: Hashable, Sendable {
        /// The pad's element has requested this part of the stream.
        case pulled
        /// The part was sent to the pad, and continues the previous one unless `isAfterGap` is true.
        case pushed(isAfterGap: Bool)
    }

    /// Drops the first part of the stream that `admits` rejects, and all later parts; `admits` is called on the
    /// streaming thread.
    package func pass(while admits: @escaping @Sendable (UnsafeRawBufferPointer, Scheduling) -> Bool) {
        let isOver = Atomic(false)
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { _, info in
            guard let buffer = gst_pad_probe_info_get_buffer(info) else { return GST_PAD_PROBE_OK }
            let isPulled = info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_PULL.rawValue != 0
            let flags = UInt32(gst_buffer_get_flags(buffer).rawValue)
            let isAfterGap = flags & UInt32(GST_BUFFER_FLAG_DISCONT.rawValue) != 0
            let scheduling = isPulled ? Scheduling.pulled : .pushed(isAfterGap: isAfterGap)
            let isRejected =
                isOver.load(ordering: .relaxed)
                || buffer.withBytes { admits($0, scheduling) } == false
            if isRejected { isOver.store(true, ordering: .relaxed) }
            return isRejected ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK
        }
    }

    /// Makes the element of this sink pad work in push mode, because a filter cannot change the length of pulled data.
    func refusePulling() {
        addProbe(GST_PAD_PROBE_TYPE_QUERY_UPSTREAM) { _, info in
            let query = gst_pad_probe_info_get_query(info)
            return query?.pointee.type == GST_QUERY_SCHEDULING ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK
        }
    }

    /// Calls `handler` at the end of each flush, such as that of a seek, on the thread of the flush.
    func onFlush(_ handler: @escaping @Sendable () -> Void) {
        addProbe(GST_PAD_PROBE_TYPE_EVENT_FLUSH) { _, info in
            if gst_pad_probe_info_get_event(info)?.pointee.type == GST_EVENT_FLUSH_STOP { handler() }
            return GST_PAD_PROBE_OK
        }
    }

    /// Filters formats and buffers, on the streaming thread.
    ///
    /// After a rejected format, nothing passes until the next format. The probe exists as long as the pad.
    ///
    /// - Parameters:
    ///   - admits: Checks each format before it passes.
    ///   - filter: Returns the sample that replaces a buffer; nil to drop the buffer.
    package func filter(
        formats admits: @escaping @Sendable (Caps) -> Bool,
        buffers filter: @escaping @Sendable (MediaSample) -> MediaSample?
    ) {
        let isClosed = Atomic(false)
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) { pad, info in
            guard info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 else {
                guard let event = gst_pad_probe_info_get_event(info), event.pointee.type == GST_EVENT_CAPS
                else { return GST_PAD_PROBE_OK }
                var caps: UnsafeMutablePointer<GstCaps>?
                gst_event_parse_caps(event, &caps)
                let isAdmitted = caps.map { admits(Caps(retaining: $0)) } ?? true
                isClosed.store(!isAdmitted, ordering: .relaxed)
                return isAdmitted ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
            }
            guard !isClosed.load(ordering: .relaxed) else { return GST_PAD_PROBE_DROP }
            guard let buffer = gst_pad_probe_info_get_buffer(info), let caps = gst_pad_get_current_caps(pad)
            else { return GST_PAD_PROBE_OK }
            let sample = MediaSample(taking: gst_buffer_ref(buffer), caps: Caps(taking: caps))
            guard let passing = filter(sample) else { return GST_PAD_PROBE_DROP }
            if passing !== sample {
                // The probe owns the buffer that it replaces.
                gst_buffer_unref(buffer)
                info.pointee.data = UnsafeMutableRawPointer(gst_buffer_ref(passing.buffer))
            }
            return GST_PAD_PROBE_OK
        }
    }
}

extension Pad {
    /// Sets this duration, in nanoseconds, for each passing buffer that has none.
    package func fillDurations(with duration: UInt64) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { _, info in
            guard let buffer = gst_pad_probe_info_get_buffer(info),
                [0, GstClockTime.max].contains(buffer.pointee.duration)
            else { return GST_PAD_PROBE_OK }
            let copy = MediaSample.shallowCopy(of: buffer)
            copy.pointee.duration = GstClockTime(duration)
            // The probe owns the buffer that it replaces.
            gst_buffer_unref(buffer)
            info.pointee.data = UnsafeMutableRawPointer(copy)
            return GST_PAD_PROBE_OK
        }
    }
}
