internal import CSDL
internal import Glibc
internal import Synchronization

/// A guard that keeps the process alive if the X server exits or reports an error.
///
/// Xlib would otherwise end the process, including all calls and recordings.
enum DisplayLoss {
    private typealias Handler = @convention(c) (OpaquePointer?) -> Int32
    private typealias SetHandler = @convention(c) (Handler?) -> Handler?
    private typealias Refusal = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32
    private typealias Number = @convention(c) (OpaquePointer) -> Int32
    private typealias SetRefusal = @convention(c) (Refusal?) -> UnsafeRawPointer?

    /// Ignores X11 errors; must be called before SDL's video subsystem starts.
    ///
    /// When the subsystem quits, SDL restores the error handler that was installed before it started. The
    /// error for a wake-up event that SDL sent to a destroyed window arrives only after that.
    @WindowActor static func expectRefusals() {
        if SDL_getenv("DISPLAY") != nil { ignoreRefusals() }
    }

    private static func ignoreRefusals() {
        _ = Xlib.function("XSetErrorHandler", as: SetRefusal.self)?({ _, _ in 0 })
    }

    /// Installs the handler for a lost display connection, if SDL uses X11; must be called after SDL's video
    /// subsystem has started.
    @WindowActor static func prepare() { _ = others }

    /// Stores the socket of the window's connection to the X server.
    @WindowActor static func watch(_ window: OpaquePointer) {
        guard let (display, _) = ClosingDisplay.names(of: window),
            let number = Xlib.function("XConnectionNumber", as: Number.self)
        else { return }
        connection.store(number(display), ordering: .relaxed)
    }

    /// The socket of the connection on which the window thread waits; SDL's waker uses another connection.
    private static let connection = Atomic<Int32>(-1)

    /// Runs `body`, which closes the connection to the display; does not run it if the connection is lost.
    ///
    /// If the connection is lost while `body` runs, Xlib's functions return without effect.
    @WindowActor static func whileClosing(_ window: OpaquePointer, _ body: () -> Void) {
        guard let closing = ClosingDisplay(of: window) else { return body() }
        self.closing = closing
        defer { self.closing = nil }
        closing.unmap()
        if !closing.isLost { body() }
    }

    @WindowActor private static var closing: ClosingDisplay?

    /// The I/O error handler that was installed before this one.
    private static let others: Handler? = {
        guard Xlib.isInUse, let setHandler = Xlib.function("XSetIOErrorHandler", as: SetHandler.self) else {
            return nil
        }
        // SDL 2.26 wakes the window thread by an event to the window, which causes an error if the window is
        // destroyed.
        ignoreRefusals()
        return setHandler { display in
            // Xlib ends the process when this handler returns, so it never returns while a window is open.
            let executor = WindowActor.executor
            if executor.isWaking {
                // This makes the window thread notice the loss, too, before it waits for a lock that SDL
                // holds on the current thread.
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
