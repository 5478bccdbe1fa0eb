internal import CSDL
internal import Glibc
internal import Synchronization

/// Lets the process outlive its X server and what that refuses, at which Xlib would end it, and with it calls and
/// recordings.
enum DisplayLoss {
    private typealias Handler = @convention(c) (OpaquePointer?) -> Int32
    private typealias SetHandler = @convention(c) (Handler?) -> Handler?
    private typealias Refusal = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32
    private typealias Number = @convention(c) (OpaquePointer) -> Int32
    private typealias SetRefusal = @convention(c) (Refusal?) -> UnsafeRawPointer?

    /// Called before SDL's video comes up: what stands then it puts back when it goes down, and only then hears that a
    /// wake-up was for a window that has gone.
    @WindowActor static func expectRefusals() {
        if SDL_getenv("DISPLAY") != nil { passOverRefusals() }
    }

    private static func passOverRefusals() {
        _ = Xlib.function("XSetErrorHandler", as: SetRefusal.self)?({ _, _ in 0 })
    }

    /// Called once SDL's video is up; where it does not speak to an X server, this does nothing.
    @WindowActor static func prepare() { _ = others }

    /// Called once SDL's video is up and has this window.
    @WindowActor static func watch(_ window: OpaquePointer) {
        guard let (display, _) = ClosingDisplay.names(of: window),
            let number = Xlib.function("XConnectionNumber", as: Number.self)
        else { return }
        connection.store(number(display), ordering: .relaxed)
    }

    /// The socket at which the window's thread waits; SDL's waker has another.
    private static let connection = Atomic<Int32>(-1)

    /// Runs `body`, which closes what speaks to the display, unless that has gone before; should it go meanwhile,
    /// Xlib's functions do nothing any more.
    @WindowActor static func whileClosing(_ window: OpaquePointer, _ body: () -> Void) {
        guard let closing = ClosingDisplay(of: window) else { return body() }
        self.closing = closing
        defer { self.closing = nil }
        closing.unmap()
        if !closing.isLost { body() }
    }

    @WindowActor private static var closing: ClosingDisplay?

    /// Whoever minded the end of an X server before us.
    private static let others: Handler? = {
        guard Xlib.isInUse, let setHandler = Xlib.function("XSetIOErrorHandler", as: SetHandler.self) else {
            return nil
        }
        // SDL wakes our thread through the window, which may be gone by then (SDL 2.26).
        passOverRefusals()
        return setHandler { display in
            // Xlib ends the process when this returns: for an open window it does not.
            let executor = WindowActor.executor
            if executor.isWaking {
                // The window's thread must find it too, before it waits for a lock that SDL holds here.
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
            executor.outliveDisplay()
        }
    }()
}
