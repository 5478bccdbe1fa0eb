package import CGStreamer
package import GLibKit

/// A strong reference to a GstElement.
package class Element: @unchecked Sendable {  // GstElement locks itself
    package let object: ObjectRef

    package init(_ object: ObjectRef) { self.object = object }

    /// Creates an element from a factory.
    ///
    /// - Throws: `GStreamerError.missingElement` if no plugin provides the factory.
    package convenience init(factory: String, name: String? = nil) throws(GStreamerError) {
        GStreamer.start()
        guard let element = gst_element_factory_make(factory, name) else { throw .missingElement(factory) }
        self.init(ObjectRef(sinking: element))
    }

    package var pointer: UnsafeMutablePointer<GstElement> { object.cast(to: GstElement.self) }

    package var name: String {
        guard let name = gst_object_get_name(object.cast(to: GstObject.self)) else { return "" }
        defer { g_free(name) }
        return String(cString: name)
    }

    package var factoryName: String {
        guard let factory = gst_element_get_factory(pointer) else { return "" }
        guard
            let name = gst_object_get_name(
                UnsafeMutableRawPointer(factory).assumingMemoryBound(to: GstObject.self)
            )
        else { return "" }
        defer { g_free(name) }
        return String(cString: name)
    }

    // MARK: Properties

    package func set(_ property: String, _ value: String) {
        let box = Value(value)
        withUnsafePointer(to: box.raw) { g_object_set_property(object.pointer, property, $0) }
    }

    package func set(_ property: String, _ value: Bool) {
        let box = Value(value)
        withUnsafePointer(to: box.raw) { g_object_set_property(object.pointer, property, $0) }
    }

    /// Checks whether the element has a property of this name.
    package func has(_ property: String) -> Bool {
        // A GObject's first field is a pointer to its class.
        let type = object.pointer.pointee.g_type_instance.g_class
        return g_object_class_find_property(
            UnsafeMutableRawPointer(type)?.assumingMemoryBound(to: GObjectClass.self),
            property
        ) != nil
    }

    /// Sets a property, such as a number, an enumeration or caps, from text in gst-launch syntax.
    package func set(_ property: String, parsing text: String) {
        gst_util_set_object_arg(object.pointer, property, text)
    }

    package func set(_ property: String, _ caps: Caps) { set(property, parsing: caps.description) }

    package func set(_ property: String, _ value: Int) { set(property, parsing: String(value)) }

    /// Sets a property that holds an element; this element retains `element`.
    package func set(_ property: String, _ element: Element) {
        let box = Value(element.object)
        withUnsafePointer(to: box.raw) { g_object_set_property(object.pointer, property, $0) }
    }

    /// Reads a property that holds an element; nil if it is not set or holds something else.
    package func element(in property: String) -> Element? { objectProperty(property).map(Element.init) }

    /// Reads an integer or enumeration property; 0 if there is no property of this name and type.
    package func int(_ property: String) -> Int {
        var value = GValue()
        g_object_get_property(object.pointer, property, &value)
        guard value.g_type != 0 else { return 0 }
        defer { g_value_unset(&value) }
        var number = GValue()
        g_value_init(&number, GType(10 << 2))  // G_TYPE_INT64 is a macro: fundamental 10
        defer { g_value_unset(&number) }
        return g_value_transform(&value, &number) != 0 ? Int(g_value_get_int64(&number)) : 0
    }

    /// Reads a string property; nil if it is not set or not a string.
    package func string(_ property: String) -> String? {
        var value = GValue()
        g_object_get_property(object.pointer, property, &value)
        guard value.g_type != 0 else { return nil }
        defer { g_value_unset(&value) }
        let text = GType(16 << 2)  // G_TYPE_STRING is a macro: fundamental 16
        guard callrunner_value_holds(&value, text) != 0 else { return nil }
        return g_value_get_string(&value).map { String(cString: $0) }
    }

    func objectProperty(_ property: String) -> ObjectRef? {
        var value = GValue()
        g_object_get_property(object.pointer, property, &value)
        guard value.g_type != 0 else { return nil }
        defer { g_value_unset(&value) }
        guard callrunner_value_holds(&value, g_object_get_type()) != 0 else { return nil }
        return g_value_get_object(&value).map { ObjectRef(retaining: $0) }
    }

    /// Opens a device element and queries the caps of its source pad `src`; nil if it cannot be opened.
    ///
    /// The element must not be in use or in a bin; opening may block.
    package func capsOfOpenDevice() -> Caps? {
        defer { gst_element_set_state(pointer, GST_STATE_NULL) }
        guard gst_element_set_state(pointer, GST_STATE_READY) != GST_STATE_CHANGE_FAILURE else { return nil }
        return pad("src").flatMap { gst_pad_query_caps($0.pointer, nil) }.map(Caps.init(taking:))
    }

    // MARK: Pads and events

    package func pad(_ name: String) -> Pad? {
        gst_element_get_static_pad(pointer, name).map { Pad(ObjectRef(taking: $0)) }
    }

    package func requestPad(_ name: String) -> Pad? {
        gst_element_request_pad_simple(pointer, name).map { Pad(ObjectRef(taking: $0)) }
    }

    /// Calls `handler` inside `pad-added` for source pads; data flows as soon as the handler returns.
    ///
    /// The element retains the handler, which therefore must not retain the element or its pipeline.
    package func onPadAdded(_ handler: @escaping @Sendable (Pad) -> Void) {
        object.connect("pad-added") { arguments in
            guard let pad = arguments.object(1).map(Pad.init), pad.isSource else { return }
            handler(pad)
        }
    }

    package func onNoMorePads(_ handler: @escaping @Sendable () -> Void) {
        object.connect("no-more-pads") { _ in handler() }
    }

    /// Calls `handler` with each source element that a bin creates for a URI, before that element starts.
    package func onSourceSetup(_ handler: @escaping @Sendable (Element) -> Void) {
        object.connect("source-setup") { arguments in
            if let source = arguments.object(1) { handler(Element(source)) }
        }
    }

    /// Whether the element decodes one stream; false for a bin of decoders.
    package var isDecoder: Bool {
        let instance = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GTypeInstance.self)
        guard g_type_check_instance_is_a(instance, gst_bin_get_type()) == 0,
            let factory = gst_element_get_factory(pointer)
        else { return false }
        // GST_ELEMENT_FACTORY_TYPE_DECODER, a macro
        return gst_element_factory_list_is_type(factory, 1) != 0
    }

    /// The classes of the element, such as `Codec/Demuxer/Adaptive`; empty if it has no factory.
    package var classification: String {
        gst_element_get_factory(pointer)
            .flatMap { gst_element_factory_get_metadata($0, GST_ELEMENT_METADATA_KLASS) }
            .map { String(cString: $0) } ?? ""
    }

    /// The bin that contains the element; nil if there is none.
    package var parent: Element? {
        gst_object_get_parent(object.cast(to: GstObject.self)).map { Element(ObjectRef(taking: $0)) }
    }

    /// Keeps the element from following the state of its bin, so that it never starts.
    package func lockState() { gst_element_set_locked_state(pointer, 1) }

    package func syncStateWithParent() { gst_element_sync_state_with_parent(pointer) }

    /// Makes a `parsebin` parse only the media types that satisfy `isWanted`; it outputs all others unparsed.
    package func parseOnly(where isWanted: @escaping @Sendable (_ mediaType: String) -> Bool) {
        object.connect("autoplug-continue") { arguments in
            let caps = arguments.boxed(2).map { Caps(retaining: $0.assumingMemoryBound(to: GstCaps.self)) }
            arguments.returnBool(caps.map { isWanted($0.mediaType) } ?? true)
        }
    }
}
