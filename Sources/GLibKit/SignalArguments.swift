internal import CGLib

/// The arguments of one signal emission, the emitter first; valid only inside the handler.
package struct SignalArguments: ~Copyable {
    private let values: UnsafeBufferPointer<GValue>
    private let result: UnsafeMutablePointer<GValue>?

    init(values: UnsafeBufferPointer<GValue>, result: UnsafeMutablePointer<GValue>?) {
        self.values = values
        self.result = result
    }

    // g_value_get_* check the type themselves; for a null pointer they log a warning and return zero.
    private func value(_ index: Int) -> UnsafePointer<GValue>? {
        values.indices.contains(index) ? values.baseAddress.map { $0 + index } : nil
    }

    package func uint(_ index: Int) -> UInt32 { g_value_get_uint(value(index)) }
    package func int(_ index: Int) -> Int32 { g_value_get_int(value(index)) }
    package func enumeration(_ index: Int) -> Int32 { g_value_get_enum(value(index)) }
    package func string(_ index: Int) -> String? {
        g_value_get_string(value(index)).map { String(cString: $0) }
    }

    /// Retains a GObject argument, so that the returned reference outlives the handler.
    package func object(_ index: Int) -> ObjectRef? {
        g_value_get_object(value(index)).map { ObjectRef(retaining: $0) }
    }

    /// Reads the raw pointer of a boxed argument, valid only inside the handler.
    package func boxed(_ index: Int) -> UnsafeMutableRawPointer? { g_value_get_boxed(value(index)) }

    /// Copies the contents of a `GBytes` argument.
    package func bytes(_ index: Int) -> [UInt8] {
        guard let bytes = boxed(index) else { return [] }
        var count: gsize = 0
        let start = g_bytes_get_data(OpaquePointer(bytes), &count)
        return Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
    }

    /// Copies a `GError` argument.
    package func error(_ index: Int) -> GLibError? {
        boxed(index).map { GLibError(copying: $0.assumingMemoryBound(to: GError.self)) }
    }

    /// Sets the return value of the handler, for a signal that returns a Boolean.
    package func returnBool(_ answer: Bool) {
        guard let result else { return }
        g_value_set_boolean(result, answer ? 1 : 0)
    }
}
