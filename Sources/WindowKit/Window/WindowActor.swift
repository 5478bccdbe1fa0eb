/// The actor that isolates all use of SDL: windows, renderers, textures and events.
@globalActor package actor WindowActor {
    package static let shared = WindowActor()
    package static let executor = SDLExecutor(threadName: "sdl-window")

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        Self.executor.asUnownedSerialExecutor()
    }
    package static var sharedUnownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Runs `body` synchronously, for callers that already run on the window thread; traps on any other
    /// thread.
    package static func assumeIsolated<Result: Sendable>(
        _ body: @WindowActor () throws -> Result
    ) rethrows -> Result {
        shared.preconditionIsolated()
        return try withoutActuallyEscaping(body) { body in
            // The cast removes only the isolation, which was checked above. `MainActor.assumeIsolated` does
            // the same.
            try unsafeBitCast(body, to: (() throws -> Result).self)()
        }
    }
}
