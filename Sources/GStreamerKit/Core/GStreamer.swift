internal import CGStreamer

/// The GStreamer library as a whole.
package enum GStreamer {
    private static let started: Void = {
        gst_init(nil, nil)
        LibraryWarnings.filter()
    }()

    /// Initializes GStreamer, once per process; the initializers of GStreamerKit that need GStreamer call
    /// this method.
    package static func start() { _ = started }

    /// The version of the loaded library, such as "1.22.0".
    package static var version: String {
        var (major, minor, micro, nano): (guint, guint, guint, guint) = (0, 0, 0, 0)
        gst_version(&major, &minor, &micro, &nano)
        return "\(major).\(minor).\(micro)"
    }

    /// Finds the preferred decoder factory for a media type, such as `avdec_h264`; nil if there is none.
    package static func decoder(of mediaType: String) -> String? {
        start()
        guard let caps = gst_caps_new_empty_simple(mediaType) else { return nil }
        defer { gst_caps_unref(caps) }
        let kind = GstElementFactoryListType(1 << 0)  // GST_ELEMENT_FACTORY_TYPE_DECODER is a macro
        let all = gst_element_factory_list_get_elements(kind, GST_RANK_MARGINAL)
        let fitting = gst_element_factory_list_filter(all, caps, GST_PAD_SINK, 0)
        gst_plugin_feature_list_free(all)
        defer { gst_plugin_feature_list_free(fitting) }
        // The list is sorted by rank, highest first.
        guard let feature = fitting?.pointee.data else { return nil }
        let name = gst_object_get_name(feature.assumingMemoryBound(to: GstObject.self))
        defer { g_free(name) }
        return name.map { String(cString: $0) }
    }

    /// Returns the names in `elements` for which no factory is registered.
    ///
    /// Versions are deliberately not compared: out-of-tree plugins such as libnice's have versions of their own.
    package static func missing(_ elements: [String]) -> [String] {
        start()
        return elements.filter { name in
            guard let factory = gst_element_factory_find(name) else { return true }
            gst_object_unref(UnsafeMutableRawPointer(factory))
            return false
        }
    }
}
