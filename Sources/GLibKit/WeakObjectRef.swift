internal import CGLib

/// A weak reference to a GObject.
package final class WeakObjectRef: @unchecked Sendable {  // GWeakRef is thread-safe by contract
    private let reference = UnsafeMutablePointer<GWeakRef>.allocate(capacity: 1)

    package init(_ object: ObjectRef) { g_weak_ref_init(reference, object.pointer) }

    deinit {
        g_weak_ref_clear(reference)
        reference.deallocate()
    }

    /// The object; nil once it has been finalized.
    package var object: ObjectRef? {
        g_weak_ref_get(reference).map { ObjectRef(taking: $0) }  // g_weak_ref_get returns a new reference
    }
}
