internal import CGStreamer
internal import GLibKit
internal import Synchronization

/// Pushes samples into a pipeline through an appsrc.
package final class AppSource: Sendable {
    private let element: Element
    private let lastCaps = Mutex<Caps?>(nil)
    private let pinsCaps: Bool

    /// - Parameters:
    ///   - element: an `appsrc` with `format=time`.
    ///   - pinsCaps: keeps the first sample's caps, for muxers that refuse others.
    package init(_ element: Element, pinsCaps: Bool = false) {
        self.element = element
        self.pinsCaps = pinsCaps
    }

    private var source: UnsafeMutablePointer<GstAppSrc> { element.object.cast(to: GstAppSrc.self) }

    /// Pushes a reference to the sample's buffer, in order, from any one thread.
    ///
    /// - Returns: false where the pipeline takes no more.
    @discardableResult
    package func push(_ sample: MediaSample) -> Bool {
        lastCaps.withLock { last in
            if last == nil || (!pinsCaps && last?.pointer != sample.caps.pointer) {
                gst_app_src_set_caps(source, sample.caps.pointer)
                last = sample.caps
            }
        }
        return gst_app_src_push_buffer(source, gst_buffer_ref(sample.buffer)) == GST_FLOW_OK
    }

    /// Says that nothing comes from `time` on for `duration`, so that a muxer does not wait; nanoseconds.
    package func pushGap(at time: UInt64, duration: UInt64) {
        gst_element_send_event(
            element.pointer,
            gst_event_new_gap(GstClockTime(time), GstClockTime(duration))
        )
    }

    /// Bytes that wait in the appsrc.
    package var queuedBytes: Int { Int(gst_app_src_get_current_level_bytes(source)) }

    package func endOfStream() { gst_app_src_end_of_stream(source) }
}
