internal import CSDL
internal import Glibc
internal import Synchronization

/// A guard that lets the process outlive its X server, and errors that the server reports.
///
/// Xlib would end the process, and with it calls and recordings.
enum DisplayLoss {
    private typealias Handler = @convention(c) (OpaquePointer?) -> Int32
    private typealias SetHandler = @convention(c) (Handler?) -> Handler?
    private typealias Refusal = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32
    private typealias Number = @convention(c) (OpaquePointer) -> Int32
    private typealias SetRefusal = @convention(c) (Refusal?) -> UnsafeRawPointer?

    /// Ignores X11's errors; to be called before SDL's video starts.
    ///
    /// When SDL's video ends, SDL restores the error handler that it found, and only then receives the error
    /// that a wake-up was for a window that is gone.
    @WindowActor static func expectRefusals() {
        if SDL_getenv("DISPLAY") != nil { ignoreRefusals() }
    }

    private static func ignoreRefusals() {
        _ = Xlib.function("XSetErrorHandler", as: SetRefusal.self)?({ _, _ in 0 })
    }

    /// Prepares for a lost display, if SDL uses X11; to be called once SDL's video runs.
    @WindowActor static func prepare() { _ = others }

    /// Stores the connection of this window; to be called once SDL's video runs.
    @WindowActor static func watch(_ window: OpaquePointer) {
        guard let (display, _) = ClosingDisplay.names(of: window),
            let number = Xlib.function("XConnectionNumber", as: Number.self)
        else { return }
        connection.store(number(display), ordering: .relaxed)
    }

    /// The socket on which the window's thread waits; SDL's waker has another one.
    private static let connection = Atomic<Int32>(-1)

    /// Runs `body`, which closes the connection to the display, unless the display has gone before.
    ///
    /// If the display goes meanwhile, Xlib's functions no longer do anything.
    @WindowActor static func whileClosing(_ window: OpaquePointer, _ body: () -> Void) {
        guard let closing = ClosingDisplay(of: window) else { return body() }
        self.closing = closing
        defer { self.closing = nil }
        closing.unmap()
        if !closing.isLost { body() }
    }

    @WindowActor private static var closing: ClosingDisplay?

    /// The I/O error handler that was installed before ours.
    private static let others: Handler? = {
        guard Xlib.isInUse, let setHandler = Xlib.function("XSetIOErrorHandler", as: SetHandler.self) else {
            return nil
        }
        // SDL wakes our thread through the window, which may be gone by then and cause an error (SDL 2.26).
        ignoreRefusals()
        return setHandler { display in
            // Xlib ends the process when this returns, so it does not return while a window is open.
            let executor = WindowActor.executor
            if executor.isWaking {
                // The window's thread must notice the loss too, before it waits for a lock that SDL holds
                // here.
                shutdown(connection.load(ordering: .relaxed), Int32(SHUT_RDWR))
                executor.loseWaker()
            }
            if executor.isIsolatingCurrentContext() == true,
                let closing = WindowActor.assumeIsolated({ DisplayLoss.closing })
            {
                WindowActor.assumeIsolated { closing.isLost = true }
                return 0
            }
            guard executor.isIsolatingCurrentContext() == true, executor.waitsForEvents else {
                return DisplayLoss.others?(display) ?? 0
            }
            executor.runWithoutDisplay()
        }
    }()
}
