internal import CGStreamer
internal import GLibKit
internal import Synchronization

/// What the bus's sync handler holds, released by the handler's own destroy notify.
private final class BusHandler: Sendable {
    let continuation: AsyncStream<BusMessage>.Continuation
    /// Held while older messages are drained, so that none overtakes them.
    let order = Mutex<Void>(())

    init(_ continuation: AsyncStream<BusMessage>.Continuation) { self.continuation = continuation }

    func pass(_ message: UnsafeMutablePointer<GstMessage>) {
        if let news = BusMessage(message) { continuation.yield(news) }
        gst_message_unref(message)  // GST_BUS_DROP makes the handler the owner
    }

    deinit { continuation.finish() }
}

extension Pipeline {
    /// Turns the bus into a stream: no watch, no thread, no polling.
    ///
    /// Single consumer; the handler goes when the stream is dropped or its reader cancelled, and the
    /// bus discards what is posted from then on.
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
            gst_bus_set_flushing(bus, 1)  // nobody reads any more: messages would pile up
        }
        return stream
    }
}
