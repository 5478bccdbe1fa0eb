internal import CGStreamer
internal import GLibKit
internal import Synchronization

/// Pushes samples into a pipeline through an appsrc.
package final class AppSource: Sendable {
    private struct State {
        var caps: Caps?
        var isOverfull = false
    }

    private let element: Element
    private let state = Mutex(State())
    private let pinsCaps: Bool
    private let labels: [String: String]
    /// The appsrc's own `max-bytes` and `max-time`; 0 stands for no limit.
    private let mostBytes: UInt64
    private let longestTime: UInt64

    /// Feeds `element`, which bounds what may wait in it by its own `max-bytes` and `max-time`.
    ///
    /// - Parameters:
    ///   - element: an `appsrc` with `format=time`.
    ///   - pinsCaps: keeps the first sample's caps, for muxers that refuse others, but not the headers
    ///     in them: a recording begins where the stream is, whose beginning they describe.
    ///   - labels: what fields of the caps are to say, where the caps have them, whatever a stream says.
    package init(_ element: Element, pinsCaps: Bool = false, labels: [String: String] = [:]) {
        self.element = element
        self.labels = labels
        self.pinsCaps = pinsCaps
        let source = element.object.cast(to: GstAppSrc.self)
        mostBytes = UInt64(gst_app_src_get_max_bytes(source))
        longestTime = UInt64(gst_app_src_get_max_time(source))
    }

    private var source: UnsafeMutablePointer<GstAppSrc> { element.object.cast(to: GstAppSrc.self) }

    /// Pushes a reference to the sample's buffer, in order, from any one thread; never waits.
    ///
    /// - Returns: false where the pipeline takes no more, or is so far behind that everything up to
    ///   the next keyframe is left out.
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
        labels.reduce(pinsCaps ? caps.without("streamheader") : caps) { caps, label in
            caps.replacing(label.key, with: label.value)
        }
    }

    private var isFull: Bool {
        (mostBytes > 0 && gst_app_src_get_current_level_bytes(source) >= mostBytes)
            || (longestTime > 0 && gst_app_src_get_current_level_time(source) >= longestTime)
    }

    /// Says that nothing comes from `time` on for `duration`, so that a muxer does not wait; nanoseconds.
    package func pushGap(at time: UInt64, duration: UInt64) {
        gst_element_send_event(
            element.pointer,
            gst_event_new_gap(GstClockTime(time), GstClockTime(duration))
        )
    }

    package func endOfStream() { gst_app_src_end_of_stream(source) }
}
