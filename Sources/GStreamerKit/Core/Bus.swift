internal import CGStreamer
internal import GLibKit
internal import Synchronization

/// The state of a bus's sync handler, released by the handler's destroy notify.
private final class BusHandler: Sendable {
    let continuation: AsyncStream<BusMessage>.Continuation
    /// The lock held while older messages are read from the bus, so that newer ones cannot overtake them.
    let order = Mutex<Void>(())

    /// The rate limit on warnings; damaged media can cause one warning per byte.
    private let warnings = Mutex(Allowance(maximum: 100, perSecond: 10))

    init(_ continuation: AsyncStream<BusMessage>.Continuation) { self.continuation = continuation }

    func pass(_ message: UnsafeMutablePointer<GstMessage>) {
        defer { gst_message_unref(message) }  // GST_BUS_DROP makes the handler the owner
        if message.pointee.type == GST_MESSAGE_WARNING {
            guard warnings.withLock({ $0.take(1, at: MediaClock.shared.now) }) else { return }
        }
        if let copy = BusMessage(message) { continuation.yield(copy) }
    }

    deinit { continuation.finish() }
}

extension Pipeline {
    /// Streams the messages of the bus, without a watch, a thread or polling.
    ///
    /// Single consumer. When the stream is dropped or its reader cancelled, the handler is removed and the
    /// bus discards further messages.
    func makeMessages() -> AsyncStream<BusMessage> {
        let (stream, continuation) = AsyncStream.makeStream(of: BusMessage.self)
        guard let bus = gst_pipeline_get_bus(object.cast(to: GstPipeline.self)) else { return stream }
        let reference = ObjectRef(taking: bus)
        let weak = WeakObjectRef(reference)
        let handler = BusHandler(continuation)
        handler.order.withLock { _ in
            gst_bus_set_sync_handler(
                bus,
                { _, message, data in
                    guard let message, let data else { return GST_BUS_PASS }
                    let handler = Unmanaged<BusHandler>.fromOpaque(data).takeUnretainedValue()
                    handler.order.withLock { _ in handler.pass(message) }
                    return GST_BUS_DROP
                },
                Unmanaged.passRetained(handler).toOpaque(),
                { data in
                    guard let data else { return }
                    Unmanaged<BusHandler>.fromOpaque(data).release()
                }
            )
            while let message = gst_bus_pop(bus) { handler.pass(message) }
        }
        continuation.onTermination = { _ in
            guard let bus = weak.object?.cast(to: GstBus.self) else { return }
            gst_bus_set_sync_handler(bus, nil, nil, nil)
            gst_bus_set_flushing(bus, 1)  // without a reader, messages would pile up
        }
        return stream
    }
}
