internal import CSDL

/// A thread of SDL's, in which the process's signals (SIGINT, SIGTERM, …) are blocked, as we want for what waits there.
final class SDLThread: Sendable {
    private let body: @Sendable () -> Never

    private init(_ body: @escaping @Sendable () -> Never) { self.body = body }

    /// Starts one that runs as long as the process, and keeps alive what `body` does.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Never) {
        let thread = SDL_CreateThread(
            { data in
                let thread = Unmanaged<SDLThread>.fromOpaque(data!)  // SDL passes back the pointer
                thread.takeRetainedValue().body()
            },
            name,
            Unmanaged.passRetained(SDLThread(body)).toOpaque()
        )
        precondition(thread != nil, "the thread \(name) could not be started")
        SDL_DetachThread(thread)
    }
}
