/// The isolation of GLib, GIO and libsoup: everything that must run on the loop thread.
@globalActor package actor LoopActor {
    package static let shared = LoopActor()
    private static let executor = GLibExecutor(threadName: "glib-loop")

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        Self.executor.asUnownedSerialExecutor()
    }
    package static var sharedUnownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Runs `body` in place, for C callbacks known to arrive on the loop; traps elsewhere.
    package static func assumeIsolated<Result: Sendable>(
        _ body: @LoopActor () throws -> Result
    ) rethrows -> Result {
        shared.preconditionIsolated()
        return try withoutActuallyEscaping(body) { body in
            // Only the isolation is dropped, after the check above; the standard library's
            // MainActor.assumeIsolated is written the same way.
            try unsafeBitCast(body, to: (() throws -> Result).self)()
        }
    }
}
