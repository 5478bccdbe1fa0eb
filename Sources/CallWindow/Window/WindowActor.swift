/// The actor of SDL: windows, renderers, textures and events.
@globalActor package actor WindowActor {
    package static let shared = WindowActor()
    static let executor = SDLExecutor(threadName: "sdl-window")

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        Self.executor.asUnownedSerialExecutor()
    }
    package static var sharedUnownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Runs `body` synchronously, for events that are known to arrive on the window thread; traps elsewhere.
    package static func assumeIsolated<Result: Sendable>(
        _ body: @WindowActor () throws -> Result
    ) rethrows -> Result {
        shared.preconditionIsolated()
        return try withoutActuallyEscaping(body) { body in
            // Only the isolation is dropped, which is checked above; MainActor.assumeIsolated of the standard
            // library does the same.
            try unsafeBitCast(body, to: (() throws -> Result).self)()
        }
    }
}
