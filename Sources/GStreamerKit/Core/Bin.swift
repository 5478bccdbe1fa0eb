internal import CGStreamer
internal import GLibKit

/// A group of elements that acts as one element.
package class Bin: Element, @unchecked Sendable {  // GstElement locks itself
    var bin: UnsafeMutablePointer<GstBin> { object.cast(to: GstBin.self) }

    /// Creates a bin from gst-launch syntax, with its unlinked pads as ghost pads.
    ///
    /// - Throws: `GStreamerError.description`, or `.missingElement`.
    package static func parsing(_ description: String) throws(GStreamerError) -> Bin {
        GStreamer.start()
        let bin = try parse { context, error in
            gst_parse_bin_from_description_full(description, 1, context, GST_PARSE_FLAG_FATAL_ERRORS, error)
        }
        return Bin(bin)
    }

    /// Runs one of GStreamer's pipeline parsers and converts its errors.
    static func parse(
        _ parser: (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>)
            -> UnsafeMutablePointer<GstElement>?
    ) throws(GStreamerError) -> ObjectRef {
        var error: UnsafeMutablePointer<GError>?
        let context = gst_parse_context_new()
        defer { gst_parse_context_free(context) }
        let element = parser(context, &error).map { ObjectRef(sinking: $0) }
        let reason = error.map { GLibError(taking: $0).message }
        if let missing = gst_parse_context_get_missing_elements(context) {
            defer { g_strfreev(missing) }
            if let first = missing[0] { throw .missingElement(String(cString: first)) }
        }
        guard let element else { throw .description(reason ?? "unknown reason") }
        return element
    }

    package func element(named name: String) -> Element? {
        gst_bin_get_by_name(bin, name).map { Element(ObjectRef(taking: $0)) }
    }

    /// Returns whether this bin, or a bin in it, contains an element of a factory.
    package func contains(from factory: String) -> Bool {
        guard let elements = gst_bin_iterate_all_by_element_factory_name(bin, factory) else { return false }
        defer { gst_iterator_free(elements) }
        var found = GValue()
        defer { if found.g_type != 0 { g_value_unset(&found) } }
        while true {
            switch gst_iterator_next(elements, &found) {
            case GST_ITERATOR_OK: return true
            case GST_ITERATOR_RESYNC: gst_iterator_resync(elements)
            default: return false
            }
        }
    }

    /// Calls `handler` with each decoder that is added to this bin or to a bin in it, before data reaches it.
    ///
    /// The bin retains the handler, which therefore must not retain the bin.
    package func onDecoderAdded(_ handler: @escaping @Sendable (Element) -> Void) {
        onElementAdded { if $0.isDecoder { handler($0) } }
    }

    /// Calls `handler` with each element of a factory that is added to this bin or to a bin in it.
    ///
    /// The bin retains the handler, which therefore must not retain the bin.
    package func onElementAdded(from factory: String, _ handler: @escaping @Sendable (Element) -> Void) {
        onElementAdded { if $0.factoryName == factory { handler($0) } }
    }

    /// Calls `handler` with each element that is added to this bin or to a bin in it, before data reaches it.
    ///
    /// The bin retains the handler, which therefore must not retain the bin.
    package func onElementAdded(_ handler: @escaping @Sendable (Element) -> Void) {
        object.connect("deep-element-added") { arguments in
            if let element = arguments.object(2).map({ Element($0) }) { handler(element) }
        }
    }

    /// Adds `element` to the bin, which retains it.
    package func add(_ element: Element) { gst_bin_add(bin, element.pointer) }

    /// Removes `element`, which must not be running, from the bin.
    package func remove(_ element: Element) { gst_bin_remove(bin, element.pointer) }
}
