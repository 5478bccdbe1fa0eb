package import CGLib

/// A strong reference to a GObject; the initializers' labels state who owned the reference before.
package final class ObjectRef: @unchecked Sendable {  // GObject reference counts are atomic
    package let pointer: UnsafeMutablePointer<GObject>

    /// Takes over a reference that the caller owns: (transfer full).
    package init(taking pointer: UnsafeMutableRawPointer) {
        self.pointer = pointer.assumingMemoryBound(to: GObject.self)
    }

    /// Adds a reference to an object that is owned elsewhere: (transfer none).
    package convenience init(retaining pointer: UnsafeMutableRawPointer) {
        g_object_ref(pointer)
        self.init(taking: pointer)
    }

    /// Takes over the floating reference of a new object, or adds a reference if there is none.
    package convenience init(sinking pointer: UnsafeMutableRawPointer) {
        g_object_ref_sink(pointer)
        self.init(taking: pointer)
    }

    deinit { g_object_unref(pointer) }

    /// Casts the pointer to the C type that a function expects.
    package func cast<CType>(to type: CType.Type) -> UnsafeMutablePointer<CType> {
        UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: type)
    }

    /// The name of the object's type, such as `GstQueue`.
    package var typeName: String {
        g_type_name(callrunner_type_of(pointer)).map { String(cString: $0) } ?? ""
    }

    /// The pointer for functions whose C types Swift imports as opaque.
    package var opaque: OpaquePointer { OpaquePointer(pointer) }
}
