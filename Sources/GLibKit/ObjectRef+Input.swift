internal import CGLib

extension ObjectRef {
    /// Reads the next bytes of this `GInputStream`; empty at the end.
    ///
    /// - Throws: `GLibError`, or `CancellationError`.
    @LoopActor
    func read(atMost most: Int) async throws -> [UInt8] {
        try await gio { cancellable, callback, data in
            g_input_stream_read_bytes_async(
                cast(to: GInputStream.self),
                gsize(most),
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
}
