package import CGLib

/// The completion handler of a GIO call, passed as its user data.
private final class PendingCall {
    let complete: (OpaquePointer) -> Void
    init(complete: @escaping (OpaquePointer) -> Void) { self.complete = complete }
}

/// Runs one asynchronous GIO or libsoup call on the GLib loop; cancelling the task cancels its
/// `GCancellable`.
///
/// - Parameters:
///   - begin: Starts the call with the given cancellable, callback and user data.
///   - finish: The call's finish function, which reports failure through its `GError`. It runs inside the
///     callback, before the next iteration of the loop. Handlers that it connects to a new object therefore
///     miss no signal.
/// - Returns: The result of `finish`.
/// - Throws: `GLibError`, or `CancellationError` if the task was cancelled.
@LoopActor
package func gio<Result: Sendable>(
    begin: (UnsafeMutablePointer<GCancellable>?, GAsyncReadyCallback, UnsafeMutableRawPointer) -> Void,
    finish: @escaping (OpaquePointer, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Result
) async throws -> Result {
    let cancellable = ObjectRef(taking: g_cancellable_new())
    let result = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            let call = PendingCall { result in
                continuation.resume(returning: outcome { finish(result, $0) })
            }
            begin(
                cancellable.cast(to: GCancellable.self),
                { _, result, data in
                    // GIO passes the user data of `begin` back exactly once, with a result that is never
                    // null.
                    Unmanaged<PendingCall>.fromOpaque(data!).takeRetainedValue().complete(result!)
                },
                Unmanaged.passRetained(call).toOpaque()
            )
        }
    } onCancel: {
        g_cancellable_cancel(cancellable.cast(to: GCancellable.self))
    }
    do {
        return try result.get()
    } catch {
        if error.isCancelled { throw CancellationError() }
        throw error
    }
}

private func outcome<Success>(
    of finish: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Success
) -> Result<Success, GLibError> {
    do throws(GLibError) {
        return .success(try withGError(finish))
    } catch {
        return .failure(error)
    }
}
