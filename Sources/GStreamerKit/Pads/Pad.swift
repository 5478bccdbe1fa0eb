package import CGStreamer
package import GLibKit
internal import Synchronization

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

    var isSource: Bool { gst_pad_get_direction(pointer) == GST_PAD_SRC }

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
    /// The buffers in buffer lists are included. The probe exists as long as the pad.
    package func onBuffer(_ handler: @escaping @Sendable (_ bytes: Int) -> Void) {
        onEachBuffer { handler(Int(gst_buffer_get_size($0))) }
    }

    /// Calls `handler` with each buffer that passes, including those in buffer lists, on the streaming thread.
    func onEachBuffer(_ handler: @escaping @Sendable (UnsafeMutablePointer<GstBuffer>) -> Void) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { _, info in
            if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue != 0 {
                guard let list = gst_pad_probe_info_get_buffer_list(info) else { return GST_PAD_PROBE_OK }
                for index in 0..<gst_buffer_list_length(list) {
                    if let buffer = gst_buffer_list_get(list, index) { handler(buffer) }
                }
            } else if let buffer = gst_pad_probe_info_get_buffer(info) {
                handler(buffer)
            }
            return GST_PAD_PROBE_OK
        }
    }

    /// Calls `handler` with the end of each passing buffer that has a timestamp: the timestamp plus the duration, if
    /// known, in nanoseconds.
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
    /// The samples have the unconverted timestamps of the stream. Buffer lists are skipped. The probe exists as long as
    /// the pad.
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

    /// Calls `handler` for each upstream event that passes; the event is valid only inside the handler.
    func onUpstreamEvent(_ handler: @escaping @Sendable (UnsafeMutablePointer<GstEvent>) -> Void) {
        addProbe(GST_PAD_PROBE_TYPE_EVENT_UPSTREAM) { _, info in
            if let event = gst_pad_probe_info_get_event(info) { handler(event) }
            return GST_PAD_PROBE_OK
        }
    }

    typealias ProbeHandler =
        @Sendable (UnsafeMutablePointer<GstPad>, UnsafeMutablePointer<GstPadProbeInfo>) -> GstPadProbeReturn

    /// Calls `handler` for each item of these types, on the streaming thread, before the item passes the pad.
    ///
    /// The probe exists until it is removed or the pad is freed; the handler is released together with it.
    ///
    /// - Returns: the probe's ID, for `removeProbe`.
    @discardableResult
    func addProbe(_ kinds: GstPadProbeType..., handler: @escaping ProbeHandler) -> gulong {
        gst_pad_add_probe(
            pointer,
            GstPadProbeType(rawValue: kinds.reduce(0) { $0 | $1.rawValue }),
            { pad, info, data in
                guard let pad, let info, let data else { return GST_PAD_PROBE_OK }
                return Unmanaged<Probe>.fromOpaque(data).takeUnretainedValue().handler(pad, info)
            },
            Unmanaged.passRetained(Probe(handler)).toOpaque(),
            { data in
                guard let data else { return }
                Unmanaged<Probe>.fromOpaque(data).release()
            }
        )
    }

    /// Removes a probe; a streaming thread that it blocks continues.
    func removeProbe(_ number: gulong) { gst_pad_remove_probe(pointer, number) }
}

/// The handler of a probe, released by the probe's destroy notify.
private final class Probe: Sendable {
    let handler: Pad.ProbeHandler
    init(_ handler: @escaping Pad.ProbeHandler) { self.handler = handler }
}

extension Pad {
    /// Drops each passing RTCP packet that contains a BYE (RFC 3550 §6.6).
    ///
    /// The rtpsession of GStreamer 1.22 sends BYE for every stream that was silent for five seconds, such as
    /// a camera that is off or an unused RTX stream; some peers (aiortc) then never decode that stream again.
    func dropByePackets() { dropRTCP { RTCPPacket.containsBye($0) } }

    /// Drops RTCP packets that contain a report from, or a source description of, an SSRC that `admits` rejects,
    /// feedback that we do not offer, or more than `FeedbackLimit` or `DescriptionLimit` allows.
    func dropReports(unless admits: @escaping @Sendable (_ ssrc: UInt32) -> Bool) {
        let limits = Mutex((feedback: FeedbackLimit(), descriptions: DescriptionLimit()))
        dropRTCP { packet in
            let now = MediaClock.shared.now
            return !limits.withLock { $0.feedback.admits(packet, at: now) && $0.descriptions.admits(packet) }
                || RTCPPacket.containsForeignFeedback(packet)
                || !RTCPPacket.sources(packet).allSatisfy(admits)
        }
    }

    private func dropRTCP(where isUnwanted: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { _, info in
            let isDropped = gst_pad_probe_info_get_buffer(info)?.withBytes(isUnwanted) ?? false
            return isDropped ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK
        }
    }

    /// Calls `handler` once, after `count` sender reports (RFC 3550 §6.4.1) or 10 × `count` RTCP packets.
    ///
    /// It is called on the thread on which the packets pass.
    func onSenderReports(_ count: Int, _ handler: @escaping @Sendable () -> Void) {
        let passed = Mutex((reports: 0, packets: 0, isDone: false))
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { _, info in
            guard let buffer = gst_pad_probe_info_get_buffer(info) else { return GST_PAD_PROBE_OK }
            var head: [UInt8] = [0, 0]
            let isReport = gst_buffer_extract(buffer, 0, &head, 2) == 2 && RTCPPacket.isSenderReport(head)
            let isEnough = passed.withLock { passed in
                passed.packets += 1
                if isReport { passed.reports += 1 }
                guard !passed.isDone else { return false }
                passed.isDone = passed.reports >= count || passed.packets >= 10 * count
                return passed.isDone
            }
            guard isEnough else { return GST_PAD_PROBE_OK }
            handler()
            return GST_PAD_PROBE_REMOVE
        }
    }

    /// Drops SRTP and SRTCP packets that have an SSRC or CSRC that `admits` rejects, that are too long, or that could
    /// be either SRTP or SRTCP.
    ///
    /// A buffer list that contains such a packet is dropped as a whole. All other packets pass.
    func dropMedia(unless admits: @escaping @Sendable (_ ssrc: UInt32) -> Bool) {
        dropBuffers { $0.allSources(satisfy: admits) }
    }

    /// Drops buffers that `admits` rejects, and buffer lists that contain such a buffer.
    func dropBuffers(unless admits: @escaping @Sendable (UnsafeMutablePointer<GstBuffer>) -> Bool) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { _, info in
            guard info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue != 0 else {
                let isAdmitted = gst_pad_probe_info_get_buffer(info).map(admits) ?? true
                return isAdmitted ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
            }
            guard let list = gst_pad_probe_info_get_buffer_list(info) else { return GST_PAD_PROBE_OK }
            let areAdmitted = (0..<gst_buffer_list_length(list)).allSatisfy { index in
                gst_buffer_list_get(list, index).map(admits) ?? true
            }
            return areAdmitted ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
        }
    }
}

extension UnsafeMutablePointer<GstBuffer> {
    /// Calls `body` with the bytes of the buffer; nil if they cannot be read.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        var map = GstMapInfo()
        guard gst_buffer_map(self, &map, GST_MAP_READ) != 0 else { return nil }
        defer { gst_buffer_unmap(self, &map) }
        return body(UnsafeRawBufferPointer(start: map.data, count: Int(map.size)))
    }

    /// Checks whether the packet is not too long, and all SSRCs and CSRCs in its SRTP or SRTCP header satisfy
    /// `predicate`.
    fileprivate func allSources(satisfy predicate: (UInt32) -> Bool) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: SRTPHeader.longest, alignment: 4) { bytes in
            let count = gst_buffer_extract(self, 0, bytes.baseAddress, gsize(bytes.count))
            let isMedia = count > 0 && SRTPHeader.isMedia(bytes[0])
            guard !isMedia || gst_buffer_get_size(self) <= SRTPHeader.longestPacket else { return false }
            return SRTPHeader.allSources(
                of: UnsafeRawBufferPointer(rebasing: bytes[..<Int(count)]),
                satisfy: predicate
            )
        }
    }
}

extension Pad {
    /// Overwrites bytes in the data that is pulled from this pad.
    ///
    /// - Parameters:
    ///   - places: The positions to overwrite, in bytes from the beginning of the stream.
    ///   - bytes: The bytes to write at each position.
    package func replace(_ places: [UInt64], with bytes: [UInt8]) {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_PULL) { _, info in
            guard let buffer = gst_pad_probe_info_get_buffer(info) else { return GST_PAD_PROBE_OK }
            // A source creates a new buffer for each pull, so the buffer may be changed.
            let offset = UInt64(info.pointee.offset)
            let end = offset + UInt64(gst_buffer_get_size(buffer))
            for place in places where (offset..<end).contains(place) {
                gst_buffer_fill(buffer, gsize(place - offset), bytes, gsize(bytes.count))
            }
            return GST_PAD_PROBE_OK
        }
    }

    /// Replaces each segment event by an open-ended segment, so that timestamps count from `base`.
    ///
    /// - Parameter base: The running time of timestamp zero, in nanoseconds.
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

    /// Drops H.264 access units that are incomplete or cannot be decoded after packet loss, and requests
    /// another keyframe after an incomplete keyframe.
    ///
    /// This pad must be the source pad of an `rtph264depay` that outputs whole access units as a byte stream.
    package func dropTornKeyframes() {
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
    let keyframe: KeyframeSlices?

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
            keyframe = KeyframeSlices(of: UnsafeRawBufferPointer(start: nil, count: 0))
            return
        }
        defer { gst_buffer_unmap(buffer, &map) }
        keyframe = KeyframeSlices(of: UnsafeRawBufferPointer(start: map.data, count: Int(map.size)))
    }
}
