internal import CSDL
internal import Synchronization

/// A waker that interrupts `SDL_WaitEvent` from a thread of its own.
///
/// SDL 2.26 interrupts the wait by writing to the display on the thread that pushes an event. If the display
/// connection is lost, that thread never returns from Xlib, so it must not be a media thread.
final class SDLWaker: @unchecked Sendable {  // `monitor` guards the mutable state
    private let monitor = SDLMonitor()
    private let threadID = Atomic<UInt>(0)
    private let eventType = SDL_RegisterEvents(1)
    private var mayPush = false
    private var isAsked = false
    private var isPushing = false
    private var hasThread = false

    /// Enables waking; to be called after SDL's video subsystem has started.
    func resume() {
        let isNew = monitor.withLock {
            defer { hasThread = true }
            mayPush = true
            return !hasThread
        }
        if isNew { SDLThread.start("sdl-waker") { self.runForever() } }
    }

    /// Disables waking and waits until the waker's thread has left SDL; to be called before SDL's video
    /// subsystem quits.
    func pause() {
        monitor.withLock {
            mayPush = false
            while isPushing { monitor.wait() }
        }
    }

    /// Interrupts the current wait in `SDL_WaitEvent`, or else the next one; callable on any thread.
    func wake() {
        monitor.withLock {
            isAsked = true
            monitor.notify()
        }
    }

    var isCurrentThread: Bool { threadID.load(ordering: .relaxed) == UInt(SDL_ThreadID()) }

    /// Records the loss of the display, and blocks the waker's thread forever.
    func stay() -> Never {
        Display.noteLoss()
        donePushing()
        while true { monitor.withLock { monitor.wait() } }
    }

    private func runForever() -> Never {
        threadID.store(UInt(SDL_ThreadID()), ordering: .relaxed)
        while true {
            monitor.withLock {
                while !(isAsked && mayPush) { monitor.wait() }
                isAsked = false
                isPushing = true
            }
            var event = SDL_Event()
            event.user.type = eventType
            SDL_PushEvent(&event)  // if this fails because the queue is full, the window thread is awake
            donePushing()
        }
    }

    private func donePushing() {
        monitor.withLock {
            isPushing = false
            monitor.notify()
        }
    }
}
