/// The actor of GLib, GIO and libsoup: everything that must run on the loop thread.
@globalActor package actor LoopActor {
    package static let shared = LoopActor()
    private static let executor = GLibExecutor(threadName: "glib-loop")

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        Self.executor.asUnownedSerialExecutor()
    }
    package static var sharedUnownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Runs `body` synchronously, for C callbacks that are known to arrive on the loop thread; traps
    /// elsewhere.
    package static func assumeIsolated<Result: Sendable>(
        _ body: @LoopActor () throws -> Result
    ) rethrows -> Result {
        shared.preconditionIsolated()
        return try withoutActuallyEscaping(body) { body in
            // Only the isolation is dropped, which is checked above; MainActor.assumeIsolated of the standard
            // library does the same.
            try unsafeBitCast(body, to: (() throws -> Result).self)()
        }
    }
}
