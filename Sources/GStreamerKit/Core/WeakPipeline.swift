internal import CGStreamer
internal import GLibKit

/// A weak reference to a pipeline, for handlers inside the pipeline, which must not keep it alive.
package struct WeakPipeline: Sendable {
    private let reference: WeakObjectRef

    package init(_ pipeline: Pipeline) { reference = WeakObjectRef(pipeline.object) }

    /// Adds `element`, sets it to the pipeline's state and links `pad` to its sink pad.
    ///
    /// - Returns: False if the pipeline has been finalized or the pads cannot be linked.
    @discardableResult
    package func append(_ element: Element, to pad: Pad) -> Bool {
        guard let pipeline = reference.object else { return false }
        gst_bin_add(pipeline.cast(to: GstBin.self), element.pointer)  // adds a reference of its own
        element.syncStateWithParent()
        guard let target = element.pad("sink") else { return false }
        return pad.link(to: target)
    }

    /// Posts an error with this text, whose source is the pipeline.
    ///
    /// Elements that a `parsebin` has just created cannot post errors themselves, because the bin suppresses them.
    package func fail(_ reason: String) {
        guard let pipeline = reference.object else { return }
        gst_element_message_full(
            pipeline.cast(to: GstElement.self),
            GST_MESSAGE_ERROR,
            gst_stream_error_quark(),
            gint(bitPattern: GST_STREAM_ERROR_WRONG_TYPE.rawValue),
            g_strdup(reason),  // the message takes ownership
            nil,
            #fileID,
            #function,
            #line
        )
    }
}
