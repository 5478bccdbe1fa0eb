package import CGStreamer

/// A `GstPromise` whose change function runs a Swift closure once and then releases it.
private final class Promise: @unchecked Sendable {  // promises lock themselves
    private final class Handler: Sendable {
        let onChange: @Sendable (UnsafeMutablePointer<GstPromise>) -> Void
        init(_ onChange: @escaping @Sendable (UnsafeMutablePointer<GstPromise>) -> Void) {
            self.onChange = onChange
        }
    }

    let pointer: UnsafeMutablePointer<GstPromise>

    init(onChange: @escaping @Sendable (UnsafeMutablePointer<GstPromise>) -> Void) {
        let box = Unmanaged.passRetained(Handler(onChange))
        pointer = gst_promise_new_with_change_func(
            { promise, data in
                guard let promise, let data else { return }
                Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue().onChange(promise)
            },
            box.toOpaque(),
            { data in
                guard let data else { return }
                Unmanaged<Handler>.fromOpaque(data).release()
            }
        )
    }

    deinit { gst_promise_unref(pointer) }
}

/// Starts a call that takes a `GstPromise`, and suspends until GStreamer replies.
///
/// Cancelling the task interrupts the promise, and a cancelled task starts nothing. webrtcbin reports an error as a
/// reply with an `error` field, not as a failed promise.
///
/// - Parameters:
///   - start: Passes the promise to GStreamer, which adds a reference of its own.
///   - decode: Reads the reply, which is freed together with the promise.
/// - Returns: The result of `decode`.
/// - Throws: `GStreamerError.rejected`, `CancellationError`, or an error of `decode`.
package func reply<Answer: Sendable>(
    to start: (UnsafeMutablePointer<GstPromise>) -> Void,
    decode: @escaping @Sendable (Structure?) throws -> Answer
) async throws -> Answer {
    try Task.checkCancellation()
    let (answers, answer) = AsyncThrowingStream.makeStream(of: Answer.self, throwing: (any Error).self)
    let promise = Promise { promise in
        switch gst_promise_wait(promise) {  // never blocks in the change function
        case GST_PROMISE_RESULT_REPLIED:
            do {
                let structure = gst_promise_get_reply(promise).map(Structure.init)
                if let message = structure?.error("error") { throw GStreamerError.rejected(message) }
                answer.yield(try decode(structure))
                answer.finish()
            } catch { answer.finish(throwing: error) }
        case GST_PROMISE_RESULT_INTERRUPTED: answer.finish(throwing: CancellationError())
        default: answer.finish(throwing: GStreamerError.rejected("the promise expired"))
        }
    }
    return try await withTaskCancellationHandler {
        start(promise.pointer)
        for try await value in answers { return value }
        throw CancellationError()
    } onCancel: {
        gst_promise_interrupt(promise.pointer)
    }
}
