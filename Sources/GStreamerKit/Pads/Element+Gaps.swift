internal import CGStreamer
internal import Synchronization

extension Element {
    /// Decodes video only while `isNeeded` returns true; the element must be a decoder with the pads `sink` and `src`.
    ///
    /// Otherwise, gap events replace the frames, so that the position advances and the sinks determine the pace. When
    /// pictures are needed again, the frames since the last keyframe are decoded immediately; if they exceed
    /// `maximumBytes`, decoding continues at the next keyframe instead. After a seek and after a change of the format,
    /// one group of pictures is decoded in any case.
    ///
    /// - Parameters:
    ///   - isNeeded: Called for each frame, on the streaming thread.
    ///   - maximumBytes: The maximum size of the frames that are stored for decoding them later.
    ///   - whenSkipped: Called several times a second while frames are skipped, on the streaming thread.
    package func decodeVideo(
        while isNeeded: @escaping @Sendable () -> Bool,
        keeping maximumBytes: Int = 16_000_000,
        whenSkipped: @escaping @Sendable () -> Void
    ) {
        guard let input = pad("sink"), let output = pad("src") else { return }
        let gate = DecodingGate(
            before: self,
            keeping: maximumBytes,
            isNeeded: isNeeded,
            whenSkipped: whenSkipped
        )
        input.addProbe(
            GST_PAD_PROBE_TYPE_BUFFER,
            GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
            GST_PAD_PROBE_TYPE_EVENT_FLUSH
        ) { pad, info in gate.pass(info, at: pad) }
        output.addProbe(GST_PAD_PROBE_TYPE_BUFFER) { _, info in
            guard let picture = gst_pad_probe_info_get_buffer(info) else { return GST_PAD_PROBE_OK }
            return gate.shows(picture) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
        }
    }
}

/// The pad probes that withhold unneeded frames from a decoder; called on the decoder's streaming thread.
private final class DecodingGate: Sendable {
    private struct State {
        var frames: FrameGate<MediaSample>
        /// The end of the latest gap in nanoseconds; nil before the first one.
        var gapEnd: UInt64?
        /// Whether the current format is video; nil before the first buffer of a format.
        var hasVideo: Bool?
        /// The time in nanoseconds before which pictures are not shown, because they are decoded only to reach the
        /// current one.
        var firstShown: UInt64?
    }

    /// The duration of a gap in nanoseconds.
    private static let interval: UInt64 = 250_000_000

    private let decoder: WeakElement
    private let state: Mutex<State>
    private let isNeeded: @Sendable () -> Bool
    private let whenSkipped: @Sendable () -> Void

    init(
        before decoder: Element,
        keeping maximumBytes: Int,
        isNeeded: @escaping @Sendable () -> Bool,
        whenSkipped: @escaping @Sendable () -> Void
    ) {
        self.decoder = WeakElement(decoder)
        state = Mutex(State(frames: FrameGate(maximumBytes: maximumBytes)))
        (self.isNeeded, self.whenSkipped) = (isNeeded, whenSkipped)
    }

    /// Handles a buffer or an event that arrives at the sink pad of the decoder.
    func pass(
        _ info: UnsafeMutablePointer<GstPadProbeInfo>,
        at pad: UnsafeMutablePointer<GstPad>
    ) -> GstPadProbeReturn {
        guard info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 else {
            if let event = gst_pad_probe_info_get_event(info) { note(event) }
            return GST_PAD_PROBE_OK
        }
        guard state.withLock({ $0.hasVideo }) ?? true, let buffer = gst_pad_probe_info_get_buffer(info),
            let caps = gst_pad_get_current_caps(pad)
        else {
            return GST_PAD_PROBE_OK
        }
        let sample = MediaSample(taking: gst_buffer_ref(buffer), caps: Caps(taking: caps))
        guard isVideo(sample) else { return GST_PAD_PROBE_OK }
        switch decide(sample) {
        case (.decode, _): return GST_PAD_PROBE_OK
        case (.catchUp(let samples), _):
            return Self.decode(samples, at: pad) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
        case (.leaveOut(let isFirst), let gap):
            // The pictures that the decoder still holds are shown now, and not when it continues.
            if isFirst { gst_pad_send_event(pad, gst_video_event_new_still_frame(1)) }
            if let gap {
                gst_pad_send_event(pad, gst_event_new_gap(GstClockTime(gap), GstClockTime(Self.interval)))
                waitForQueues()
                whenSkipped()
            }
            return GST_PAD_PROBE_DROP
        }
    }

    /// Checks whether a picture from the decoder is shown.
    func shows(_ picture: UnsafeMutablePointer<GstBuffer>) -> Bool {
        let time = UInt64(picture.pointee.pts)
        return state.withLock { state in
            guard let first = state.firstShown else { return true }
            guard time >= first else { return false }
            state.firstShown = nil
            return true
        }
    }

    private func note(_ event: UnsafeMutablePointer<GstEvent>) {
        let isSeek = event.pointee.type == GST_EVENT_FLUSH_STOP
        guard isSeek || event.pointee.type == GST_EVENT_CAPS else { return }
        state.withLock { state in
            if isSeek { state.frames.seek() } else { state.frames.changeFormat() }
            (state.gapEnd, state.hasVideo, state.firstShown) = (nil, nil, nil)
        }
    }

    private func isVideo(_ sample: MediaSample) -> Bool {
        if let known = state.withLock({ $0.hasVideo }) { return known }
        let isVideo = sample.caps.mediaType.hasPrefix("video/")
        state.withLock { $0.hasVideo = isVideo }
        return isVideo
    }

    /// Decides whether the next frame is decoded, and determines the start of the gap that replaces it; nil if no new
    /// gap begins.
    private func decide(
        _ sample: MediaSample
    ) -> (decision: FrameGate<MediaSample>.Decision, gap: UInt64?) {
        let isNeeded = isNeeded()
        let time = sample.presentationTime ?? sample.decodeTime
        return state.withLock { state in
            let decision = state.frames.decide(
                sample,
                bytes: sample.size,
                isKeyframe: sample.isKeyframe,
                isNeeded: isNeeded
            )
            switch decision {
            case .decode: return (decision, nil)
            case .catchUp:
                state.firstShown = time
                return (decision, nil)
            case .leaveOut:
                guard let time else { return (decision, nil) }
                // A time long before the end of the gap is that of a stream that has started again.
                if let end = state.gapEnd, time < end, end - time <= 2 * Self.interval {
                    return (decision, nil)
                }
                state.gapEnd = time.addingReportingOverflow(Self.interval).partialValue
                return (decision, time)
            }
        }
    }

    /// Waits until the queues after the decoder have passed on everything that was sent before.
    ///
    /// Queues limit only the number of buffers, not of events.
    private func waitForQueues() {
        guard let output = decoder.element?.pad("src"), let query = gst_query_new_drain() else { return }
        // The answer does not matter: the query waits in each queue for its turn.
        _ = gst_pad_peer_query(output.pointer, query)
        gst_query_unref(query)
    }

    /// Passes samples directly to the element of a pad, without the pad's probes, which have already handled them.
    ///
    /// The caller holds the stream lock of the pad.
    ///
    /// - Returns: Whether the element has accepted all of them.
    private static func decode(_ samples: [MediaSample], at pad: UnsafeMutablePointer<GstPad>) -> Bool {
        guard let function = pad.pointee.chainfunc, let parent = pad.pointee.object.parent else {
            return false
        }
        return samples.allSatisfy { function(pad, parent, gst_buffer_ref($0.buffer)) == GST_FLOW_OK }
    }
}
