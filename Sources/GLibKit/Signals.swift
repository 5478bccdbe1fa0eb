internal import CGLib

/// The Swift handler of a GLib closure, released by the closure's finalizer.
private final class SignalHandler: Sendable {
    let onEmission: @Sendable (borrowing SignalArguments) -> Void
    let onRelease: @Sendable () -> Void

    init(
        onEmission: @escaping @Sendable (borrowing SignalArguments) -> Void,
        onRelease: @escaping @Sendable () -> Void
    ) {
        self.onEmission = onEmission
        self.onRelease = onRelease
    }

    deinit { onRelease() }
}

/// A connected signal handler; it stays connected when this value is dropped, until `disconnect()` is called.
package struct SignalConnection: Sendable {
    private let object: WeakObjectRef  // a handler must not keep its own object alive
    private let handler: gulong

    fileprivate init(object: ObjectRef, handler: gulong) {
        self.object = WeakObjectRef(object)
        self.handler = handler
    }

    package func disconnect() {
        guard let object = object.object else { return }
        guard g_signal_handler_is_connected(object.pointer, handler) != 0 else { return }
        g_signal_handler_disconnect(object.pointer, handler)
    }
}

extension ObjectRef {
    /// Streams every emission of `name`, mapped by `transform` inside the handler.
    ///
    /// The handler is disconnected when the stream is dropped or its task cancelled; the stream finishes when
    /// the object is finalized. The stream supports a single consumer.
    package func emissions<Element: Sendable>(
        of name: String,
        _ transform: @escaping @Sendable (borrowing SignalArguments) -> Element
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
        let connection = connect(
            name,
            onRelease: { continuation.finish() },
            { continuation.yield(transform($0)) }
        )
        continuation.onTermination = { _ in connection.disconnect() }
        return stream
    }

    /// Calls `handler` inside each emission of `name`, on the emitting thread.
    ///
    /// Use it for signals whose return value or side effect must exist when the emission returns.
    @discardableResult
    package func connect(
        _ name: String,
        onRelease: @escaping @Sendable () -> Void = {},
        _ handler: @escaping @Sendable (borrowing SignalArguments) -> Void
    ) -> SignalConnection {
        let closure = g_closure_new_simple(guint(MemoryLayout<GClosure>.size), nil)
        let box = Unmanaged.passRetained(SignalHandler(onEmission: handler, onRelease: onRelease))
        g_closure_set_meta_marshal(closure, box.toOpaque()) { _, result, count, values, _, data in
            // The handler is retained until the closure's finalize notifier below has run.
            Unmanaged<SignalHandler>.fromOpaque(data!).takeUnretainedValue().onEmission(
                SignalArguments(
                    values: UnsafeBufferPointer(start: values, count: Int(count)),
                    result: result
                )
            )
        }
        g_closure_add_finalize_notifier(closure, box.toOpaque()) { data, _ in
            Unmanaged<SignalHandler>.fromOpaque(data!).release()  // the pointer passed in the line above
        }
        let handler = g_signal_connect_closure(pointer, name, closure, 0)
        return SignalConnection(object: self, handler: handler)
    }
}
