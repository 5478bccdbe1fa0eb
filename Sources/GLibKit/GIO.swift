package import CGLib

/// What a GIO call needs until it completes: the continuation, boxed in its user data.
private final class PendingCall: Sendable {
    let continuation: CheckedContinuation<AsyncResult, Never>
    init(_ continuation: CheckedContinuation<AsyncResult, Never>) { self.continuation = continuation }
}

/// The `GAsyncResult` of a completed call, to be read by the call's finish function.
package struct AsyncResult: @unchecked Sendable {  // immutable once the operation has completed
    package let object: ObjectRef

    package var pointer: OpaquePointer { object.opaque }
}

/// Runs one asynchronous GIO or libsoup call on the loop; cancelling the task cancels its `GCancellable`.
///
/// - Parameters:
///   - begin: starts the call with the given cancellable, callback and user data.
///   - finish: the call's finish function, which reports failure through its `GError`.
/// - Returns: what `finish` returned.
/// - Throws: `GLibError`, or `CancellationError` where the task was cancelled.
@LoopActor
package func gio<Result: Sendable>(
    begin: (UnsafeMutablePointer<GCancellable>?, GAsyncReadyCallback, UnsafeMutableRawPointer) -> Void,
    finish: (OpaquePointer, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Result
) async throws -> Result {
    let cancellable = ObjectRef(taking: g_cancellable_new())
    let result = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            let box = Unmanaged.passRetained(PendingCall(continuation))
            begin(
                cancellable.cast(to: GCancellable.self),
                { _, result, data in
                    // GIO passes back the user data of begin, once, with a result that is never null.
                    let call = Unmanaged<PendingCall>.fromOpaque(data!).takeRetainedValue()
                    let result = ObjectRef(retaining: UnsafeMutableRawPointer(result!))
                    call.continuation.resume(returning: AsyncResult(object: result))
                },
                box.toOpaque()
            )
        }
    } onCancel: {
        g_cancellable_cancel(cancellable.cast(to: GCancellable.self))
    }
    do {
        return try withGError { finish(result.pointer, $0) }
    } catch {
        if error.isCancelled { throw CancellationError() }
        throw error
    }
}
