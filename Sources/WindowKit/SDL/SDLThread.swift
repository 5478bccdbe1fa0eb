internal import CSDL

/// A thread created by SDL, on which SDL blocks signals such as SIGINT and SIGTERM.
final class SDLThread: Sendable {
    private let body: @Sendable () -> Never

    private init(_ body: @escaping @Sendable () -> Never) { self.body = body }

    /// Starts a thread that runs as long as the process and retains `body`.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Never) {
        let thread = SDL_CreateThread(
            { data in
                let thread = Unmanaged<SDLThread>.fromOpaque(data!)  // the pointer passed below
                thread.takeRetainedValue().body()
            },
            name,
            Unmanaged.passRetained(SDLThread(body)).toOpaque()
        )
        precondition(thread != nil, "the thread \(name) could not be started")
        SDL_DetachThread(thread)
    }
}
