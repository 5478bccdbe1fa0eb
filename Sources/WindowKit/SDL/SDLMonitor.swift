internal import CSDL

/// A lock with a condition variable, for threads that may block.
final class SDLMonitor: @unchecked Sendable {  // SDL's mutexes and conditions are thread-safe
    private let lock: OpaquePointer
    private let changed: OpaquePointer

    init() {
        guard let lock = SDL_CreateMutex(), let changed = SDL_CreateCond() else {
            preconditionFailure("out of memory for the window's threads")
        }
        self.lock = lock
        self.changed = changed
    }

    deinit {
        SDL_DestroyCond(changed)
        SDL_DestroyMutex(lock)
    }

    func withLock<Result>(_ body: () -> Result) -> Result {
        SDL_LockMutex(lock)
        defer { SDL_UnlockMutex(lock) }
        return body()
    }

    /// Waits for a notification, but may return without one; to be called under the lock, which is released
    /// while waiting.
    func wait() { SDL_CondWait(changed, lock) }

    /// Wakes all waiting threads; to be called under the lock.
    func notify() { SDL_CondBroadcast(changed) }
}
