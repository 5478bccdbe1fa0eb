internal import CSDL
internal import Synchronization

/// Ends a wait in `SDL_WaitEvent`, on a thread of its own.
///
/// SDL does that by writing to the display on the thread that pushes an event (SDL 2.26), and Xlib lets no thread
/// go that finds the display gone. This one may stay there for good; one that carries pictures may not.
final class SDLWaker: @unchecked Sendable {  // `monitor` guards what changes
    private let monitor = SDLMonitor()
    private let threadID = Atomic<UInt>(0)
    private let eventType = SDL_RegisterEvents(1)
    private var mayPush = false
    private var isAsked = false
    private var isPushing = false
    private var hasThread = false

    /// Called once SDL's video is up: from now on it wakes.
    func resume() {
        let isNew = monitor.withLock {
            defer { hasThread = true }
            mayPush = true
            return !hasThread
        }
        if isNew { SDLThread.start("sdl-waker") { self.runForever() } }
    }

    /// Called before SDL's video goes down: returns once nothing of SDL's is used here any more.
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

    /// Wakes nobody any more, and never returns to SDL.
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
            SDL_PushEvent(&event)  // should SDL's queue be full the other thread is not asleep
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
