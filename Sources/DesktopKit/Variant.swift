internal import CGLib

/// An immutable `GVariant`.
final class Variant: @unchecked Sendable {  // GVariant is immutable, its reference count atomic
    private let pointer: OpaquePointer

    /// Takes ownership of the caller's reference (transfer full).
    init(taking pointer: OpaquePointer) { self.pointer = pointer }

    /// Retains a variant that is owned elsewhere (transfer none).
    init(retaining pointer: OpaquePointer) { self.pointer = g_variant_ref(pointer) }

    deinit { g_variant_unref(pointer) }

    private var type: String { String(cString: g_variant_get_type_string(pointer)) }

    /// The number of items of an array or tuple; 0 for any other type.
    var count: Int { g_variant_is_container(pointer) != 0 ? Int(g_variant_n_children(pointer)) : 0 }

    /// Copies an item of an array or tuple, or the content of a variant; nil if there is none.
    func child(_ index: Int) -> Variant? {
        guard index < count else { return nil }
        return Variant(taking: g_variant_get_child_value(pointer, gsize(index)))
    }

    /// Looks up a value by its name in a dictionary of the type `a{sv}`; nil if there is none.
    func value(_ name: String) -> Variant? {
        guard type == "a{sv}" else { return nil }
        return g_variant_lookup_value(pointer, name, nil).map(Variant.init(taking:))
    }

    /// The value of a string or an object path; nil for any other type.
    var string: String? {
        guard type == "s" || type == "o" else { return nil }
        return g_variant_get_string(pointer, nil).map { String(cString: $0) }
    }

    /// The Boolean value, unwrapped from any nested variants; nil for any other type.
    var truth: Bool? {
        switch type {
        case "b": g_variant_get_boolean(pointer) != 0
        case "v": child(0)?.truth
        default: nil
        }
    }

    /// The unsigned 32-bit value, unwrapped from any nested variants; nil for any other type.
    var number: UInt32? {
        switch type {
        case "u": g_variant_get_uint32(pointer)
        case "v": child(0)?.number
        default: nil
        }
    }
}
