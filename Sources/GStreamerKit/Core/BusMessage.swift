internal import CGStreamer
internal import GLibKit

/// A message of a pipeline's bus, copied into Swift.
package enum BusMessage: Hashable, Sendable {
    /// An error; `factory` names the element's factory, and is empty if the source is not an element.
    case error(element: String, factory: String, message: String, debug: String)
    case warning(element: String, message: String)
    case endOfStream
    /// The end of a segment that a seek requested; the next iteration of a loop can start.
    ///
    /// `seek` is the sequence number that `Pipeline.seek` returned, if the element has preserved it.
    case segmentDone(seek: UInt32)
    /// The completion of an asynchronous state change or of a flushing seek: all sinks are prerolled.
    case stateReached
    case latencyChanged
    /// The fill level of the buffers in percent; while it is below 100, playback is to be paused until more data
    /// arrives.
    case buffering(Int)
    /// The codecs of the streams according to their tags, such as `H.264`; nil for a kind without such a tag.
    case codecs(video: String?, audio: String?)
    /// An element's own message, with the name of its structure.
    case element(String)

    init?(_ message: UnsafeMutablePointer<GstMessage>) {
        let name = Self.name(of: message.pointee.src)
        switch UInt32(bitPattern: message.pointee.type.rawValue) {
        case UInt32(bitPattern: GST_MESSAGE_ERROR.rawValue):
            let (text, debug) = Self.parse(message, gst_message_parse_error)
            let factory = Self.factoryName(of: message.pointee.src)
            self = .error(element: name, factory: factory, message: text, debug: debug)
        case UInt32(bitPattern: GST_MESSAGE_WARNING.rawValue):
            self = .warning(element: name, message: Self.parse(message, gst_message_parse_warning).text)
        case UInt32(bitPattern: GST_MESSAGE_EOS.rawValue): self = .endOfStream
        case UInt32(bitPattern: GST_MESSAGE_SEGMENT_DONE.rawValue):
            self = .segmentDone(seek: gst_message_get_seqnum(message))
        case UInt32(bitPattern: GST_MESSAGE_ASYNC_DONE.rawValue): self = .stateReached
        case UInt32(bitPattern: GST_MESSAGE_LATENCY.rawValue): self = .latencyChanged
        case UInt32(bitPattern: GST_MESSAGE_TAG.rawValue):
            let (video, audio) = Self.codecs(in: message)
            guard video != nil || audio != nil else { return nil }
            self = .codecs(video: video, audio: audio)
        case UInt32(bitPattern: GST_MESSAGE_BUFFERING.rawValue):
            var percent: gint = 0
            gst_message_parse_buffering(message, &percent)
            self = .buffering(Int(percent))
        case UInt32(bitPattern: GST_MESSAGE_ELEMENT.rawValue):
            guard let structure = gst_message_get_structure(message) else { return nil }
            self = .element(Structure(structure).name)
        default: return nil
        }
    }

    private static func codecs(in message: UnsafeMutablePointer<GstMessage>) -> (String?, String?) {
        var list: UnsafeMutablePointer<GstTagList>?
        gst_message_parse_tag(message, &list)
        guard let list else { return (nil, nil) }
        defer { gst_tag_list_unref(list) }
        func text(_ tag: String) -> String? {
            var text: UnsafeMutablePointer<gchar>?
            guard gst_tag_list_get_string(list, tag, &text) != 0, let text else { return nil }
            defer { g_free(text) }
            return String(cString: text)
        }
        return (text(GST_TAG_VIDEO_CODEC), text(GST_TAG_AUDIO_CODEC))
    }

    private static func name(of source: UnsafeMutablePointer<GstObject>?) -> String {
        guard let source, let name = gst_object_get_name(source) else { return "" }
        defer { g_free(name) }
        return String(cString: name)
    }

    private static func factoryName(of source: UnsafeMutablePointer<GstObject>?) -> String {
        guard let source else { return "" }
        let isElement = source.withMemoryRebound(to: GTypeInstance.self, capacity: 1) {
            g_type_check_instance_is_a($0, gst_element_get_type()) != 0
        }
        return isElement ? Element(ObjectRef(retaining: source)).factoryName : ""
    }

    private typealias Parser = (
        UnsafeMutablePointer<GstMessage>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?,
        UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
    ) -> Void

    private static func parse(
        _ message: UnsafeMutablePointer<GstMessage>,
        _ parser: Parser
    ) -> (text: String, debug: String) {
        var error: UnsafeMutablePointer<GError>?
        var debug: UnsafeMutablePointer<gchar>?
        parser(message, &error, &debug)
        defer {
            g_clear_error(&error)
            g_free(debug)
        }
        let text = error?.pointee.message.map { String(cString: $0) } ?? "unknown error"
        return (text, debug.map { String(cString: $0) } ?? "")
    }
}
