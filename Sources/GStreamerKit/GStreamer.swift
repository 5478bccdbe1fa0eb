internal import CGStreamer

/// The library as a whole.
package enum GStreamer {
    private static let started: Void = {
        gst_init(nil, nil)
    }()

    /// Initializes GStreamer, once per process; every type of this Kit calls it before it needs it.
    package static func start() { _ = started }

    /// The version of the library that runs, as in "1.22.0".
    package static var version: String {
        var (major, minor, micro, nano): (guint, guint, guint, guint) = (0, 0, 0, 0)
        gst_version(&major, &minor, &micro, &nano)
        return "\(major).\(minor).\(micro)"
    }

    /// Those of `elements` for which no factory is registered.
    ///
    /// The minimum version is left out on purpose: out-of-tree plugins such as libnice's carry
    /// versions of their own.
    package static func missing(_ elements: [String]) -> [String] {
        start()
        return elements.filter { name in
            guard let factory = gst_element_factory_find(name) else { return true }
            gst_object_unref(UnsafeMutableRawPointer(factory))
            return false
        }
    }
}
