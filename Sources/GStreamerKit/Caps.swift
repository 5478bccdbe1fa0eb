package import CGStreamer

/// Immutable capabilities; one strong reference.
package final class Caps: @unchecked Sendable, CustomStringConvertible {  // never mutated after creation
    package let pointer: UnsafeMutablePointer<GstCaps>

    package init(taking pointer: UnsafeMutablePointer<GstCaps>) { self.pointer = pointer }

    package convenience init(retaining pointer: UnsafeMutablePointer<GstCaps>) {
        self.init(taking: gst_caps_ref(pointer))
    }

    /// - Throws: `GStreamerError.description` for text that is no caps.
    package convenience init(_ text: String) throws(GStreamerError) {
        GStreamer.start()
        guard let caps = gst_caps_from_string(text) else { throw .description("“\(text)” is no caps") }
        self.init(taking: caps)
    }

    deinit { gst_caps_unref(pointer) }

    /// The media type of the first structure, as in `video/x-h264`.
    package var mediaType: String {
        guard let structure = gst_caps_get_structure(pointer, 0) else { return "" }
        return gst_structure_get_name(structure).map { String(cString: $0) } ?? ""
    }

    package func int(_ field: String) -> Int? {
        guard gst_caps_get_size(pointer) > 0 else { return nil }
        var value: gint = 0
        guard gst_structure_get_int(gst_caps_get_structure(pointer, 0), field, &value) != 0 else {
            return nil
        }
        return Int(value)
    }

    package func uint(_ field: String) -> UInt32? {
        guard gst_caps_get_size(pointer) > 0 else { return nil }
        var value: guint = 0
        guard gst_structure_get_uint(gst_caps_get_structure(pointer, 0), field, &value) != 0 else {
            return nil
        }
        return value
    }

    package func string(_ field: String) -> String? {
        guard gst_caps_get_size(pointer) > 0 else { return nil }
        return gst_structure_get_string(gst_caps_get_structure(pointer, 0), field).map { String(cString: $0) }
    }

    package func fraction(_ field: String) -> Double? {
        guard gst_caps_get_size(pointer) > 0 else { return nil }
        var (numerator, denominator): (gint, gint) = (0, 0)
        let structure = gst_caps_get_structure(pointer, 0)
        guard gst_structure_get_fraction(structure, field, &numerator, &denominator) != 0, denominator != 0
        else { return nil }
        return Double(numerator) / Double(denominator)
    }

    package func isEqual(to other: Caps) -> Bool {
        pointer == other.pointer || gst_caps_is_equal(pointer, other.pointer) != 0
    }

    package var description: String {
        guard let text = gst_caps_to_string(pointer) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }
}
