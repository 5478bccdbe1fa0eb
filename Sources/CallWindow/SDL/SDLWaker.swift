internal import CSDL
internal import Synchronization

/// A waker that ends waits in `SDL_WaitEvent`, on a thread of its own.
///
/// SDL ends a wait by writing to the display on the thread that pushes an event (SDL 2.26), and Xlib never
/// releases a thread that finds the display gone. This thread may be lost that way; a thread that carries
/// video may not.
final class SDLWaker: @unchecked Sendable {  // `monitor` guards the mutable state
    private let monitor = SDLMonitor()
    private let threadID = Atomic<UInt>(0)
    private let eventType = SDL_RegisterEvents(1)
    private var mayPush = false
    private var isAsked = false
    private var isPushing = false
    private var hasThread = false

    /// Enables waking; to be called once SDL's video runs.
    func resume() {
        let isNew = monitor.withLock {
            defer { hasThread = true }
            mayPush = true
            return !hasThread
        }
        if isNew { SDLThread.start("sdl-waker") { self.runForever() } }
    }

    /// Disables waking and waits until no SDL function is in use here; to be called before SDL's video ends.
    func pause() {
        monitor.withLock {
            mayPush = false
            while isPushing { monitor.wait() }
        }
    }

    /// Ends the present wait, or else the next one; callable on any thread.
    func wake() {
        monitor.withLock {
            isAsked = true
            monitor.notify()
        }
    }

    var isCurrentThread: Bool { threadID.load(ordering: .relaxed) == UInt(SDL_ThreadID()) }

    /// Disables waking forever and never returns to SDL.
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
            SDL_PushEvent(&event)  // if SDL's queue is full, the other thread is awake
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
