internal import CSDL
internal import Synchronization

/// Ends a wait in `SDL_WaitEvent`, on a thread of its own.
///
/// SDL does that by writing to the display on the thread that pushes an event (SDL 2.26), and Xlib lets no thread
/// go that finds the display gone. This one may stay there for good; one that carries pictures may not.
final class SDLWaker: @unchecked Sendable {  // `lock` guards what is not constant
    private let lock: OpaquePointer
    private let changed: OpaquePointer
    private let threadID = Atomic<UInt>(0)
    private let eventType = SDL_RegisterEvents(1)
    private var mayPush = false
    private var isAsked = false
    private var isPushing = false
    private var hasThread = false

    init() {
        guard let lock = SDL_CreateMutex(), let changed = SDL_CreateCond() else {
            preconditionFailure("no memory for the window's waker")
        }
        self.lock = lock
        self.changed = changed
    }

    /// Called once SDL's video is up: from now on it wakes.
    func resume() {
        let isNew = withLock {
            defer { hasThread = true }
            mayPush = true
            return !hasThread
        }
        if isNew { start() }
    }

    /// Called before SDL's video goes down: returns once nothing of SDL's is used here any more.
    func pause() {
        withLock {
            mayPush = false
            while isPushing { SDL_CondWait(changed, lock) }
        }
    }

    /// Ends the present wait, or else the next one; callable on any thread.
    func wake() {
        withLock {
            isAsked = true
            SDL_CondBroadcast(changed)
        }
    }

    var isCurrentThread: Bool { threadID.load(ordering: .relaxed) == UInt(SDL_ThreadID()) }

    /// Wakes nobody any more, and never returns to SDL.
    func stay() -> Never {
        Display.noteLoss()
        donePushing()
        while true { _ = withLock { SDL_CondWait(changed, lock) } }
    }

    private func start() {
        let waker = Unmanaged.passRetained(self)  // the thread keeps its waker alive
        let thread = SDL_CreateThread(
            { data in
                // SDL_CreateThread hands over exactly the pointer given to it.
                Unmanaged<SDLWaker>.fromOpaque(data!).takeRetainedValue().runForever()
            },
            "sdl-waker",
            waker.toOpaque()
        )
        precondition(thread != nil, "the window's waker could not be started")
        SDL_DetachThread(thread)
    }

    private func runForever() -> Never {
        threadID.store(UInt(SDL_ThreadID()), ordering: .relaxed)
        while true {
            withLock {
                while !(isAsked && mayPush) { SDL_CondWait(changed, lock) }
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
        withLock {
            isPushing = false
            SDL_CondBroadcast(changed)
        }
    }

    private func withLock<Result>(_ body: () -> Result) -> Result {
        SDL_LockMutex(lock)
        defer { SDL_UnlockMutex(lock) }
        return body()
    }
}
