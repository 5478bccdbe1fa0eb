import CGLib
import GLibKit
import Testing

@Suite("Object references")
struct ObjectRefTests {
    private func newCancellable() -> UnsafeMutableRawPointer { UnsafeMutableRawPointer(g_cancellable_new()) }

    @Test("ObjectRef(taking:) adopts the caller's reference and releases it when deallocated")
    func taking() {
        var object: ObjectRef? = ObjectRef(taking: newCancellable())
        #expect(object?.pointer.pointee.ref_count == 1)
        let weak = object.map(WeakObjectRef.init)
        #expect(weak?.object != nil)
        object = nil
        #expect(weak?.object == nil)
    }

    @Test("ObjectRef(retaining:) adds its own reference and releases it when deallocated")
    func retaining() {
        let owner = ObjectRef(taking: newCancellable())
        var second: ObjectRef? = ObjectRef(retaining: owner.pointer)
        #expect(second?.pointer == owner.pointer)
        #expect(owner.pointer.pointee.ref_count == 2)
        second = nil
        #expect(owner.pointer.pointee.ref_count == 1)
    }

    @Test("ObjectRef(sinking:) adopts a floating reference, or adds a reference if there is none")
    func sinking() {
        let floating = g_object_new_with_properties(g_initially_unowned_get_type(), 0, nil, nil)
        guard let floating else { return #expect(Bool(false), "GObject makes what it is asked for") }
        #expect(g_object_is_floating(floating) != 0)
        let object = ObjectRef(sinking: floating)
        #expect(g_object_is_floating(object.pointer) == 0)
        #expect(object.pointer.pointee.ref_count == 1)
        let second = ObjectRef(sinking: object.pointer)
        #expect(second.pointer.pointee.ref_count == 2)
    }

    @Test("A weak reference yields strong references while the object lives")
    func weak() {
        let owner = ObjectRef(taking: newCancellable())
        let weak = WeakObjectRef(owner)
        do {
            let strong = weak.object
            #expect(strong?.pointer == owner.pointer)
            #expect(owner.pointer.pointee.ref_count == 2)
        }
        #expect(owner.pointer.pointee.ref_count == 1)
    }

    @Test("A thousand objects are all finalized")
    func noLeak() {
        var weak: [WeakObjectRef] = []
        do {
            let objects = (0..<1000).map { _ in ObjectRef(taking: newCancellable()) }
            weak = objects.map(WeakObjectRef.init)
            withExtendedLifetime(objects) { #expect(weak.allSatisfy { $0.object != nil }) }
        }
        #expect(weak.allSatisfy { $0.object == nil })
    }
}
