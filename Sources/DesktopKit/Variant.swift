internal import CGLib

/// A `GVariant`, which never changes.
final class Variant: @unchecked Sendable {  // GVariant is immutable, its reference count atomic
    private let pointer: OpaquePointer

    /// Takes over a reference that the caller owns: (transfer full).
    init(taking pointer: OpaquePointer) { self.pointer = pointer }

    /// Adds a reference to what somebody else owns: (transfer none).
    init(retaining pointer: OpaquePointer) { self.pointer = g_variant_ref(pointer) }

    deinit { g_variant_unref(pointer) }

    private var type: String { String(cString: g_variant_get_type_string(pointer)) }

    /// Of an array or a tuple; 0 of anything else.
    var count: Int { g_variant_is_container(pointer) != 0 ? Int(g_variant_n_children(pointer)) : 0 }

    /// An item of an array or a tuple, or what a variant holds.
    func child(_ index: Int) -> Variant? {
        guard index < count else { return nil }
        return Variant(taking: g_variant_get_child_value(pointer, gsize(index)))
    }

    /// A text, or the path of an object.
    var string: String? {
        guard type == "s" || type == "o" else { return nil }
        return g_variant_get_string(pointer, nil).map { String(cString: $0) }
    }

    /// The truth, in however many variants it is wrapped.
    var truth: Bool? {
        switch type {
        case "b": g_variant_get_boolean(pointer) != 0
        case "v": child(0)?.truth
        default: nil
        }
    }

    /// The number, in however many variants it is wrapped.
    var number: UInt32? {
        switch type {
        case "u": g_variant_get_uint32(pointer)
        case "v": child(0)?.number
        default: nil
        }
    }
}
