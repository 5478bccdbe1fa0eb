package import CGStreamer
internal import GLibKit

/// A strong reference to immutable `GstCaps`.
package final class Caps: @unchecked Sendable, CustomStringConvertible {  // never mutated after creation
    package let pointer: UnsafeMutablePointer<GstCaps>

    package init(taking pointer: UnsafeMutablePointer<GstCaps>) { self.pointer = pointer }

    package convenience init(retaining pointer: UnsafeMutablePointer<GstCaps>) {
        self.init(taking: gst_caps_ref(pointer))
    }

    /// Parses caps from their text form.
    ///
    /// - Throws: `GStreamerError.description` if the text is invalid.
    package convenience init(_ text: String) throws(GStreamerError) {
        GStreamer.start()
        guard let caps = gst_caps_from_string(text) else { throw .description("“\(text)” is not valid caps") }
        self.init(taking: caps)
    }

    deinit { gst_caps_unref(pointer) }

    /// Returns a copy of the caps without these fields in the first structure.
    func without(_ fields: [String]) -> Caps {
        guard let copy = gst_caps_copy(pointer) else { return self }
        if gst_caps_get_size(copy) > 0 {
            for field in fields { gst_structure_remove_field(gst_caps_get_structure(copy, 0), field) }
        }
        return Caps(taking: copy)
    }

    /// Returns a copy of the caps with `text` in this field of the first structure, if it has the field.
    func replacing(_ field: String, with text: String) -> Caps {
        guard let copy = gst_caps_copy(pointer) else { return self }
        if gst_caps_get_size(copy) > 0, let structure = gst_caps_get_structure(copy, 0),
            gst_structure_has_field(structure, field) != 0
        {
            var value = Value(text)
            gst_structure_set_value(structure, field, &value.raw)
        }
        return Caps(taking: copy)
    }

    /// The first structure; nil for `ANY` and for empty caps.
    private var first: Structure? {
        guard gst_caps_get_size(pointer) > 0 else { return nil }
        return gst_caps_get_structure(pointer, 0).map { Structure($0) }
    }

    /// The media type of the first structure, such as `video/x-h264`; empty if there is none.
    package var mediaType: String { first?.name ?? "" }

    package func int(_ field: String) -> Int? {
        var value: gint = 0
        guard let first, gst_structure_get_int(first.pointer, field, &value) != 0 else { return nil }
        return Int(value)
    }

    /// Reads a fraction, rounded up; nil if there is none or it is not positive.
    package func roundedFraction(_ field: String) -> Int? {
        var (numerator, denominator): (gint, gint) = (0, 0)
        guard let first, gst_structure_get_fraction(first.pointer, field, &numerator, &denominator) != 0,
            numerator > 0, denominator > 0
        else { return nil }
        return (Int(numerator) + Int(denominator) - 1) / Int(denominator)
    }

    package func uint(_ field: String) -> UInt32? {
        var value: guint = 0
        guard let first, gst_structure_get_uint(first.pointer, field, &value) != 0 else { return nil }
        return value
    }

    package func string(_ field: String) -> String? { first?.string(field) }

    /// Copies the bytes of a field with a buffer; nil if there is none.
    package func bytes(of field: String) -> [UInt8]? {
        guard let first, let value = gst_structure_get_value(first.pointer, field),
            callrunner_value_holds(value, gst_buffer_get_type()) != 0,
            let content = g_value_get_boxed(value)
        else { return nil }
        return content.assumingMemoryBound(to: GstBuffer.self).withBytes { Array($0) }
    }

    /// Returns the value of a field of any type as text; nil if there is none.
    package func text(of field: String) -> String? {
        guard let first, let value = gst_structure_get_value(first.pointer, field),
            let text = gst_value_serialize(value)
        else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }

    package var description: String {
        guard let text = gst_caps_to_string(pointer) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }
}
