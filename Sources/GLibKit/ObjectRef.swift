package import CGLib

/// One strong reference to a GObject; the initializer's label says who owned it before.
package final class ObjectRef: @unchecked Sendable {  // GObject reference counts are atomic
    package let pointer: UnsafeMutablePointer<GObject>

    /// Takes over a reference that the caller owns: (transfer full).
    package init(taking pointer: UnsafeMutableRawPointer) {
        self.pointer = pointer.assumingMemoryBound(to: GObject.self)
    }

    /// Adds a reference to an object that somebody else owns: (transfer none).
    package convenience init(retaining pointer: UnsafeMutableRawPointer) {
        g_object_ref(pointer)
        self.init(taking: pointer)
    }

    /// Takes the floating reference that a constructor left, or adds one where there is none.
    package convenience init(sinking pointer: UnsafeMutableRawPointer) {
        g_object_ref_sink(pointer)
        self.init(taking: pointer)
    }

    deinit { g_object_unref(pointer) }

    /// The same address under the C type that a function asks for.
    package func cast<CType>(to type: CType.Type) -> UnsafeMutablePointer<CType> {
        UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: type)
    }

    /// The same address for C types that are imported as opaque.
    package var opaque: OpaquePointer { OpaquePointer(pointer) }
}
