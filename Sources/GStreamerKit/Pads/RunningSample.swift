internal import CGStreamer
internal import Synchronization

/// A sample whose timestamps are converted to the running time of its pipeline.
package struct RunningSample: Sendable {
    /// The sample, with the original timestamps of its stream.
    package let sample: MediaSample
    /// The presentation time in nanoseconds; negative before the position at which playback begins.
    ///
    /// If the stream does not specify it, this is the decoding time.
    package let presentation: Int64
    /// The decoding time in nanoseconds; nil if the stream does not specify it.
    package let decoding: Int64?
    /// The sequence number of the latest seek before the sample, the same for all tracks; 0 if there was none.
    package let seek: UInt32
    /// The GStreamer group ID of the sample's stream, usually the same for all tracks of a source.
    package let group: UInt32
}

/// The latest seek of a pipeline, for decoders that are added after that seek.
package final class LatestSeek: Sendable {
    fileprivate let number = Atomic<UInt32>(0)

    package init() {}
}

extension Pad {
    /// Calls `handler` with each buffer that passes and has a time, on the streaming thread.
    ///
    /// Buffer lists are skipped. The probe exists as long as the pad.
    package func onRunningSample(
        after latest: LatestSeek,
        _ handler: @escaping @Sendable (RunningSample) -> Void
    ) {
        let seek = Atomic(latest.number.load(ordering: .relaxed))
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_EVENT_FLUSH) { pad, info in
            if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue == 0 {
                if let event = gst_pad_probe_info_get_event(info), event.pointee.type == GST_EVENT_FLUSH_STOP
                {
                    seek.store(gst_event_get_seqnum(event), ordering: .relaxed)
                    latest.number.store(gst_event_get_seqnum(event), ordering: .relaxed)
                }
                return GST_PAD_PROBE_OK
            }
            guard let buffer = gst_pad_probe_info_get_buffer(info), let caps = gst_pad_get_current_caps(pad)
            else { return GST_PAD_PROBE_OK }
            let known = Caps(taking: caps)
            let times = RunningTimes(of: buffer, at: pad)
            guard let presentation = times.presentation else { return GST_PAD_PROBE_OK }
            handler(
                RunningSample(
                    sample: MediaSample(taking: MediaSample.shallowCopy(of: buffer), caps: known),
                    presentation: presentation,
                    decoding: times.decoding,
                    seek: seek.load(ordering: .relaxed),
                    group: groupID(at: pad)
                )
            )
            return GST_PAD_PROBE_OK
        }
    }
}

/// The running times of a buffer; nil if the stream does not specify them, or if they exceed 30 years.
private struct RunningTimes {
    private(set) var presentation: Int64?
    private(set) var decoding: Int64?
    private static let longest: UInt64 = 1 << 60

    init(of buffer: UnsafeMutablePointer<GstBuffer>, at pad: UnsafeMutablePointer<GstPad>) {
        guard let event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0) else { return }
        defer { gst_event_unref(event) }
        var segment: UnsafePointer<GstSegment>?
        gst_event_parse_segment(event, &segment)
        guard let segment, segment.pointee.format == GST_FORMAT_TIME else { return }
        decoding = Self.convert(buffer.pointee.dts, segment)
        presentation = Self.convert(buffer.pointee.pts, segment) ?? decoding
    }

    private static func convert(_ time: GstClockTime, _ segment: UnsafePointer<GstSegment>) -> Int64? {
        guard UInt64(time) != UInt64.max else { return nil }
        var running: guint64 = 0
        let sign = gst_segment_to_running_time_full(segment, GST_FORMAT_TIME, guint64(time), &running)
        guard sign != 0, UInt64(running) <= longest else { return nil }
        return Int64(sign) * Int64(running)
    }
}

/// Returns the GStreamer group ID, which the streams of a source share; 0 if there is none.
private func groupID(at pad: UnsafeMutablePointer<GstPad>) -> UInt32 {
    guard let event = gst_pad_get_sticky_event(pad, GST_EVENT_STREAM_START, 0) else { return 0 }
    defer { gst_event_unref(event) }
    var group: guint = 0
    return gst_event_parse_group_id(event, &group) == 0 ? 0 : group
}
