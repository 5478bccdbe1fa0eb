package import CGLib

/// An initialized `GValue`, unset when dropped.
package struct Value: ~Copyable {
    package var raw = GValue()

    package init(type: GType) { g_value_init(&raw, type) }

    package init(_ value: Bool) {
        self.init(type: GType(5 << 2))  // G_TYPE_BOOLEAN, a macro that Swift cannot import
        g_value_set_boolean(&raw, value ? 1 : 0)
    }

    package init(_ value: Int32) {
        self.init(type: GType(6 << 2))  // G_TYPE_INT
        g_value_set_int(&raw, value)
    }

    package init(_ value: UInt32) {
        self.init(type: GType(7 << 2))  // G_TYPE_UINT
        g_value_set_uint(&raw, value)
    }

    package init(_ value: String) {
        self.init(type: GType(16 << 2))  // G_TYPE_STRING
        g_value_set_string(&raw, value)
    }

    /// Creates a value that holds a reference to the object, of the object's own type.
    package init(_ object: ObjectRef) {
        self.init(type: object.pointer.pointee.g_type_instance.g_class.pointee.g_type)
        g_value_set_object(&raw, object.pointer)
    }

    deinit {
        var raw = raw
        g_value_unset(&raw)
    }
}
