/// The actor that isolates all use of GLib, GIO and libsoup on the loop thread.
@globalActor package actor LoopActor {
    package static let shared = LoopActor()
    private static let executor = GLibExecutor(threadName: "glib-loop")

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        Self.executor.asUnownedSerialExecutor()
    }
    package static var sharedUnownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The number of times that the loop has begun or ended waiting for events; it does not change while a callback
    /// blocks the loop.
    package static var turns: Int { executor.turns }

    /// Runs `body` synchronously, for C callbacks that GLib calls on the loop thread; traps on any other
    /// thread.
    package static func assumeIsolated<Result: Sendable>(
        _ body: @LoopActor () throws -> Result
    ) rethrows -> Result {
        shared.preconditionIsolated()
        return try withoutActuallyEscaping(body) { body in
            // The cast removes only the isolation, which was checked above. `MainActor.assumeIsolated` does
            // the same.
            try unsafeBitCast(body, to: (() throws -> Result).self)()
        }
    }
}
