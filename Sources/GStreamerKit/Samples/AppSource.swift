internal import CGStreamer
internal import GLibKit
internal import Synchronization

/// An appsrc that pushes samples into a pipeline.
package final class AppSource: Sendable {
    private struct State {
        var caps: Caps?
        var isOverfull = false
    }

    private let element: Element
    private let state = Mutex(State())
    private let pinsCaps: Bool
    private let labels: [String: String]
    /// The appsrc's `max-bytes`; 0 means no limit.
    private let maximumBytes: UInt64
    /// The appsrc's `max-buffers`; 0 means no limit.
    private let maximumBuffers: UInt64
    /// The appsrc's `max-time` in nanoseconds; 0 means no limit.
    private let longestTime: UInt64

    /// Creates a source that feeds `element`, whose `max-bytes`, `max-buffers` and `max-time` limit its
    /// queue.
    ///
    /// - Parameters:
    ///   - element: An `appsrc` with `format=time`.
    ///   - pinsCaps: Whether to keep the first sample's caps, for muxers that refuse others. The stream
    ///     headers in the caps are removed, because they describe the beginning of the stream, and a
    ///     recording may begin later.
    ///   - labels: The values of caps fields that override those of the stream, if the caps have these
    ///     fields.
    package init(_ element: Element, pinsCaps: Bool = false, labels: [String: String] = [:]) {
        self.element = element
        self.labels = labels
        self.pinsCaps = pinsCaps
        let source = element.object.cast(to: GstAppSrc.self)
        maximumBytes = UInt64(gst_app_src_get_max_bytes(source))
        maximumBuffers = UInt64(gst_app_src_get_max_buffers(source))
        longestTime = UInt64(gst_app_src_get_max_time(source))
    }

    private var source: UnsafeMutablePointer<GstAppSrc> { element.object.cast(to: GstAppSrc.self) }

    /// Pushes a reference to the sample's buffer without waiting; to be called in order, by one thread at a
    /// time.
    ///
    /// - Returns: False if the pipeline accepts no more, or if samples are dropped until the next keyframe
    ///   because the queue was full.
    @discardableResult
    package func push(_ sample: MediaSample) -> Bool {
        let isFull = isFull
        let (isLeftOut, newCaps) = state.withLock { state -> (Bool, Caps?) in
            if isFull { state.isOverfull = true } else if sample.isKeyframe { state.isOverfull = false }
            if state.isOverfull { return (true, nil) }
            if let caps = state.caps, pinsCaps || caps.pointer == sample.caps.pointer { return (false, nil) }
            state.caps = sample.caps
            return (false, shown(sample.caps))
        }
        if isLeftOut { return false }
        if let newCaps { gst_app_src_set_caps(source, newCaps.pointer) }
        return gst_app_src_push_buffer(source, gst_buffer_ref(sample.buffer)) == GST_FLOW_OK
    }

    private func shown(_ caps: Caps) -> Caps {
        labels.reduce(pinsCaps ? caps.without(["streamheader"]) : caps) { caps, label in
            caps.replacing(label.key, with: label.value)
        }
    }

    private var isFull: Bool {
        (maximumBytes > 0 && gst_app_src_get_current_level_bytes(source) >= maximumBytes)
            || (maximumBuffers > 0 && gst_app_src_get_current_level_buffers(source) >= maximumBuffers)
            || (longestTime > 0 && gst_app_src_get_current_level_time(source) >= longestTime)
    }

    /// Announces a gap in the stream, so that a muxer does not wait for samples; times are in nanoseconds.
    package func pushGap(at time: UInt64, duration: UInt64) {
        gst_element_send_event(
            element.pointer,
            gst_event_new_gap(GstClockTime(time), GstClockTime(duration))
        )
    }

    package func endOfStream() { gst_app_src_end_of_stream(source) }
}
