package import CGLib
internal import Glibc

/// A strong reference to a GObject; the initializers' labels state how they treat the given reference.
package final class ObjectRef: @unchecked Sendable {  // GObject reference counts are atomic
    package let pointer: UnsafeMutablePointer<GObject>

    /// Takes ownership of the caller's reference (transfer full).
    package init(taking pointer: UnsafeMutableRawPointer) {
        self.pointer = pointer.assumingMemoryBound(to: GObject.self)
    }

    /// Retains an object that is owned elsewhere (transfer none).
    package convenience init(retaining pointer: UnsafeMutableRawPointer) {
        g_object_ref(pointer)
        self.init(taking: pointer)
    }

    /// Takes ownership of the floating reference of a new object; retains an object whose reference does not
    /// float.
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

    /// The pointer in the form for C functions whose types Swift imports as opaque.
    package var opaque: OpaquePointer { OpaquePointer(pointer) }

    /// Requests a receive buffer of this size for this `GSocket`; the kernel grants at most
    /// `net.core.rmem_max` (socket(7)).
    package func setReceiveBuffer(bytes: Int) {
        g_socket_set_option(cast(to: GSocket.self), SOL_SOCKET, SO_RCVBUF, gint(clamping: bytes), nil)
    }

    /// Reads the next bytes of this `GInputStream`; empty at the end of the stream.
    ///
    /// - Throws: `GLibError`, or `CancellationError`.
    @LoopActor
    package func read(atMost maximum: Int) async throws -> [UInt8] {
        try await gio { cancellable, callback, data in
            g_input_stream_read_bytes_async(
                cast(to: GInputStream.self),
                gsize(maximum),
                G_PRIORITY_DEFAULT,
                cancellable,
                callback,
                data
            )
        } finish: { [self] result, error in
            let bytes = g_input_stream_read_bytes_finish(cast(to: GInputStream.self), result, error)
            defer { g_bytes_unref(bytes) }
            var count: gsize = 0
            guard let bytes, let start = g_bytes_get_data(bytes, &count) else { return [] }
            return Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
        }
    }
    /// Writes all of `bytes` to this `GOutputStream`; a datagram is sent in one piece.
    ///
    /// - Throws: `GLibError`, or `CancellationError`.
    @LoopActor
    package func write(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let chunk = rest.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
            defer { g_bytes_unref(chunk) }
            let written = try await gio { cancellable, callback, data in
                g_output_stream_write_bytes_async(
                    cast(to: GOutputStream.self),
                    chunk,
                    G_PRIORITY_DEFAULT,
                    cancellable,
                    callback,
                    data
                )
            } finish: { [self] result, error in
                Int(g_output_stream_write_bytes_finish(cast(to: GOutputStream.self), result, error))
            }
            guard written > 0 else { throw GLibError(domain: "", code: 0, message: "nothing was sent") }
            rest = rest.dropFirst(written)
        }
    }
}
