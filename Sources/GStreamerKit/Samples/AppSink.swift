internal import CGStreamer
internal import GLibKit
internal import Synchronization

/// An appsink that publishes its samples to a hub, on the streaming thread.
package final class AppSink: Sendable {
    private let element: Element
    package let hub: SampleHub

    /// Installs the callbacks of an `appsink`.
    ///
    /// `offset` is called for each buffer, and returns the time from the shared epoch to the pipeline's
    /// running time zero, in nanoseconds. `ended` is called at each end of the stream, on the streaming thread.
    package init(
        _ element: Element,
        hub: SampleHub = SampleHub(),
        offset: @escaping @Sendable () -> UInt64 = { 0 },
        ended: @escaping @Sendable () -> Void = {}
    ) {
        self.element = element
        self.hub = hub
        var callbacks = GstAppSinkCallbacks()
        callbacks.new_sample = { sink, data in
            guard let sink, let data else { return GST_FLOW_ERROR }
            Unmanaged<Puller>.fromOpaque(data).takeUnretainedValue().pull(from: sink)
            return GST_FLOW_OK
        }
        callbacks.eos = { _, data in
            if let data { Unmanaged<Puller>.fromOpaque(data).takeUnretainedValue().ended() }
        }
        let puller = Puller(hub: hub, offset: offset, ended: ended)
        gst_app_sink_set_callbacks(
            element.object.cast(to: GstAppSink.self),
            &callbacks,
            Unmanaged.passRetained(puller).toOpaque(),
            { data in
                guard let data else { return }
                Unmanaged<Puller>.fromOpaque(data).release()
            }
        )
    }

    /// Requests a keyframe from the source of the stream.
    package func requestKeyframe() {
        // If all headers were requested, an RTP session would send FIR, which is not meant for repair (RFC
        // 5104 §4.3.1.2).
        gst_element_send_event(element.pointer, callrunner_event_force_key_unit(0))
    }
}

/// The state of an appsink's callbacks, released by their destroy notify.
private final class Puller: Sendable {
    private let hub: SampleHub
    private let offset: @Sendable () -> UInt64
    let ended: @Sendable () -> Void
    private let lastCaps = Mutex<Caps?>(nil)

    init(
        hub: SampleHub,
        offset: @escaping @Sendable () -> UInt64,
        ended: @escaping @Sendable () -> Void
    ) {
        (self.hub, self.offset, self.ended) = (hub, offset, ended)
    }

    func pull(from sink: UnsafeMutablePointer<GstAppSink>) {
        guard let sample = gst_app_sink_pull_sample(sink) else { return }  // null at end of stream
        defer { gst_sample_unref(sample) }
        guard let buffer = gst_sample_get_buffer(sample), let raw = gst_sample_get_caps(sample) else {
            return
        }
        let copy = MediaSample.shallowCopy(of: buffer)
        if let segment = gst_sample_get_segment(sample) {
            copy.pointee.pts = shared(buffer.pointee.pts, in: segment)
            copy.pointee.dts = shared(buffer.pointee.dts, in: segment)
        }
        hub.publish(MediaSample(taking: copy, caps: caps(raw)))
    }

    /// Converts a time of the segment to the shared timeline; GST_CLOCK_TIME_NONE if the time is missing or too large,
    /// or if the segment counts bytes.
    private func shared(_ time: GstClockTime, in segment: UnsafeMutablePointer<GstSegment>) -> GstClockTime {
        guard time != GstClockTime.max, segment.pointee.format == GST_FORMAT_TIME else {
            return GstClockTime.max
        }
        var running: guint64 = 0
        // A negative sign marks a time before the segment's start, as at the beginning of a stream.
        let sign = gst_segment_to_running_time_full(segment, GST_FORMAT_TIME, guint64(time), &running)
        guard sign != 0 else { return GstClockTime.max }
        let start = offset()
        if sign < 0 { return GstClockTime(start > UInt64(running) ? start - UInt64(running) : 0) }
        // A file may contain any time. A time too large to represent is treated as missing.
        let (sum, isBeyond) = start.addingReportingOverflow(UInt64(running))
        return isBeyond ? GstClockTime.max : GstClockTime(sum)
    }

    private func caps(_ raw: UnsafeMutablePointer<GstCaps>) -> Caps {
        lastCaps.withLock { last in
            if let last, last.pointer == raw { return last }
            let caps = Caps(retaining: raw)
            last = caps
            return caps
        }
    }
}
