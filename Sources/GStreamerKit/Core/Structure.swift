package import CGStreamer

/// A view of a `GstStructure` that is owned elsewhere, valid only while its owner exists.
package struct Structure {
    let pointer: UnsafePointer<GstStructure>

    package init(_ pointer: UnsafePointer<GstStructure>) { self.pointer = pointer }

    package var name: String { gst_structure_get_name(pointer).map { String(cString: $0) } ?? "" }

    var fieldNames: [String] {
        (0..<max(0, gst_structure_n_fields(pointer))).compactMap { index in
            gst_structure_nth_field_name(pointer, guint(index)).map { String(cString: $0) }
        }
    }

    package func string(_ field: String) -> String? {
        gst_structure_get_string(pointer, field).map { String(cString: $0) }
    }

    /// Reads a numeric field of any of the types that statistics use; nil if there is none.
    package func number(_ field: String) -> Double? {
        var double: gdouble = 0
        if gst_structure_get_double(pointer, field, &double) != 0 { return double }
        var uint: guint = 0
        if gst_structure_get_uint(pointer, field, &uint) != 0 { return Double(uint) }
        var uint64: guint64 = 0
        if gst_structure_get_uint64(pointer, field, &uint64) != 0 { return Double(uint64) }
        var int64: gint64 = 0
        if gst_structure_get_int64(pointer, field, &int64) != 0 { return Double(int64) }
        var int: gint = 0
        if gst_structure_get_int(pointer, field, &int) != 0 { return Double(int) }
        return nil
    }

    /// Reads an unsigned integer; nil if the field contains none.
    func uint(_ field: String) -> UInt32? {
        var value: guint = 0
        return gst_structure_get_uint(pointer, field, &value) != 0 ? UInt32(value) : nil
    }

    /// Reads a nested structure; nil if there is none.
    func structure(_ field: String) -> Structure? {
        guard let value = gst_structure_get_value(pointer, field),
            callrunner_value_holds(value, callrunner_type_structure()) != 0,
            let nested = gst_value_get_structure(value)
        else { return nil }
        return Structure(nested)
    }

    /// Reads the message of a `GError` field, with which webrtcbin reports a failure; nil if there is none.
    package func error(_ field: String) -> String? {
        guard let value = gst_structure_get_value(pointer, field),
            callrunner_value_holds(value, g_error_get_type()) != 0,
            let boxed = g_value_get_boxed(value)
        else { return nil }
        return boxed.assumingMemoryBound(to: GError.self).pointee.message.map { String(cString: $0) }
    }
}
