internal import CGStreamer
internal import GLibKit

/// A GstPipeline, which is set to the NULL state when it is released.
///
/// State changes may block until streaming threads have stopped, so change the state and release the last
/// reference on `MediaActor` only. Handlers inside the pipeline hold a `WeakPipeline`, never the pipeline
/// itself.
package final class Pipeline: Bin, @unchecked Sendable {  // GstElement locks itself
    package enum State: Sendable {
        case null, ready, paused, playing

        fileprivate var raw: GstState {
            switch self {
            case .null: GST_STATE_NULL
            case .ready: GST_STATE_READY
            case .paused: GST_STATE_PAUSED
            case .playing: GST_STATE_PLAYING
            }
        }
    }

    /// The messages of the bus; single consumer.
    package private(set) var messages = AsyncStream<BusMessage> { $0.finish() }

    /// Creates an empty pipeline, or one from gst-launch syntax.
    ///
    /// - Throws: `GStreamerError.description`, or `.missingElement`.
    package init(parsing description: String = "", name: String) throws(GStreamerError) {
        GStreamer.start()
        if description.isEmpty {
            super.init(ObjectRef(sinking: gst_pipeline_new(name)))
        } else {
            let parsed = try Bin.parse { context, error in
                gst_parse_launch_full(description, context, GST_PARSE_FLAG_FATAL_ERRORS, error)
            }
            super.init(try Self.pipeline(around: parsed))
            gst_object_set_name(object.cast(to: GstObject.self), name)
        }
        messages = makeMessages()
        follow(MediaClock.shared, from: nil)
        limitAddedElements()
    }

    deinit { gst_element_set_state(pointer, GST_STATE_NULL) }

    /// The elements, their links, caps and states in Graphviz's dot language.
    ///
    /// Properties and the keys in SRTP caps are omitted, because some properties and all keys are secret.
    package var graph: String {
        let details = GST_DEBUG_GRAPH_SHOW_MEDIA_TYPE.rawValue | GST_DEBUG_GRAPH_SHOW_CAPS_DETAILS.rawValue
        let all = GstDebugGraphDetails(rawValue: details | GST_DEBUG_GRAPH_SHOW_STATES.rawValue)
        guard let text = gst_debug_bin_to_dot_data(object.cast(to: GstBin.self), all) else { return "" }
        defer { g_free(text) }
        return String(cString: text).split(separator: #"\l"#, omittingEmptySubsequences: false).map { line in
            guard let key = line.firstRange(of: "srtp-key:") else { return String(line) }
            return "\(line[..<key.upperBound]) (removed)"
        }.joined(separator: #"\l"#)
    }

    /// Wraps a parsed element in a pipeline, because a text with a single element yields only that element.
    private static func pipeline(around element: ObjectRef) throws(GStreamerError) -> ObjectRef {
        let instance = UnsafeMutableRawPointer(element.pointer).assumingMemoryBound(to: GTypeInstance.self)
        if g_type_check_instance_is_a(instance, gst_pipeline_get_type()) != 0 { return element }
        guard let pipeline = gst_pipeline_new(nil) else { throw .description("out of memory") }
        let owner = ObjectRef(sinking: pipeline)
        gst_bin_add(owner.cast(to: GstBin.self), element.cast(to: GstElement.self))  // adds a reference
        return owner
    }

    // MARK: Time

    /// Sets the clock; running time counts from the clock's epoch, or from `start` nanoseconds after it.
    package func follow(_ clock: MediaClock, from start: UInt64?) {
        gst_pipeline_use_clock(object.cast(to: GstPipeline.self), clock.clock.cast(to: GstClock.self))
        gst_element_set_start_time(pointer, GstClockTime.max)  // GST_CLOCK_TIME_NONE: we keep the base time
        gst_element_set_base_time(pointer, GstClockTime(clock.epoch + (start ?? 0)))
    }

    /// Lets the elements provide the clock, such as that of a sound card; to be called before the start.
    package func followOwnClock() {
        gst_pipeline_auto_clock(object.cast(to: GstPipeline.self))
        gst_element_set_start_time(pointer, 0)
    }

    // MARK: State

    /// Requests a state; elements may reach it later, as reported by `BusMessage.stateReached`.
    ///
    /// - Throws: `GStreamerError.stateChange` if an element refuses immediately.
    package func setState(_ state: State) throws(GStreamerError) {
        guard gst_element_set_state(pointer, state.raw) != GST_STATE_CHANGE_FAILURE else {
            throw .stateChange(element: name, message: "it cannot change to the state \(state)")
        }
    }

    /// Whether the stream is seekable; valid once it is prerolled.
    package var isSeekable: Bool {
        guard let query = gst_query_new_seeking(GST_FORMAT_TIME) else { return false }
        defer { gst_query_unref(query) }
        var answer: gboolean = 0
        guard gst_element_query(pointer, query) != 0 else { return false }
        gst_query_parse_seeking(query, nil, &answer, nil, nil)
        return answer != 0
    }

    /// The positions to which the stream can seek, in nanoseconds; nil if it cannot.
    ///
    /// The range of a live stream moves.
    package var seekRange: Range<UInt64>? {
        guard let query = gst_query_new_seeking(GST_FORMAT_TIME) else { return nil }
        defer { gst_query_unref(query) }
        var (isSeekable, start, end): (gboolean, gint64, gint64) = (0, 0, 0)
        guard gst_element_query(pointer, query) != 0 else { return nil }
        gst_query_parse_seeking(query, nil, &isSeekable, &start, &end)
        guard isSeekable != 0, start >= 0, end > start else { return nil }
        return UInt64(start)..<UInt64(end)
    }

    /// Sets the latency to zero, whatever the elements report; to be called before the pipeline starts.
    package func setNoLatency() { gst_pipeline_set_latency(object.cast(to: GstPipeline.self), 0) }

    package func recalculateLatency() { gst_bin_recalculate_latency(bin) }

    /// Seeks to `position` in nanoseconds or, unless `exactly` is true, to the keyframe before it.
    ///
    /// A flushing seek drops queued data; without flushing, running time continues, as loops require. The end is
    /// reported by `segmentDone` if `loops` is true, otherwise by `endOfStream`.
    ///
    /// - Returns: The sequence number that is contained in this seek's `segmentDone`; nil if the stream cannot seek.
    package func seek(to position: UInt64, flushing: Bool, exactly: Bool = false, loops: Bool = true)
        -> UInt32?
    {
        var flags = exactly ? GST_SEEK_FLAG_ACCURATE.rawValue : GST_SEEK_FLAG_KEY_UNIT.rawValue
        flags |= loops ? GST_SEEK_FLAG_SEGMENT.rawValue : 0
        flags |= flushing ? GST_SEEK_FLAG_FLUSH.rawValue : 0
        flags |= flushing && !exactly ? GST_SEEK_FLAG_SNAP_BEFORE.rawValue : 0
        guard
            let event = gst_event_new_seek(
                1,
                GST_FORMAT_TIME,
                GstSeekFlags(rawValue: flags),
                GST_SEEK_TYPE_SET,
                gint64(clamping: position),
                GST_SEEK_TYPE_NONE,
                -1
            )
        else { return nil }
        let number = gst_event_get_seqnum(event)
        return gst_element_send_event(pointer, event) != 0 ? number : nil  // takes ownership of the event
    }

    /// The playback position in the medium, in nanoseconds; nil if unknown.
    package var position: UInt64? {
        var position: gint64 = 0
        guard gst_element_query_position(pointer, GST_FORMAT_TIME, &position) != 0 else { return nil }
        return UInt64(max(0, position))
    }

    package var duration: UInt64? {
        var duration: gint64 = 0
        guard gst_element_query_duration(pointer, GST_FORMAT_TIME, &duration) != 0 else { return nil }
        return UInt64(max(0, duration))
    }
}
