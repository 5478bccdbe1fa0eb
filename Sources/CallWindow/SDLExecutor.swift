internal import CSDL
internal import Synchronization

/// Runs Swift jobs on a thread of its own, the one that SDL's video and events belong to.
///
/// While a window is open the thread waits in `SDL_WaitEvent`, and a job wakes it with a user event. Before
/// that, after that and where SDL has no display it waits on a condition: without a window `SDL_WaitEvent`
/// would look at its queue a thousand times a second.
package final class SDLExecutor: SerialExecutor, @unchecked Sendable {  // `lock` guards what is not constant
    private let lock: OpaquePointer
    private let workArrived: OpaquePointer
    private let threadID = Atomic<UInt>(0)
    /// The type of the user events posted here.
    private let eventType: UInt32
    private var jobs: [UnownedJob] = []
    private var isWoken = false
    private var handler: (any SDLEventHandler)?

    package init(threadName: String) {
        guard let lock = SDL_CreateMutex(), let workArrived = SDL_CreateCond() else {
            preconditionFailure("no memory for the window's thread")
        }
        self.lock = lock
        self.workArrived = workArrived
        eventType = SDL_RegisterEvents(1)
        let executor = Unmanaged.passRetained(self)  // the thread keeps its executor alive
        // SDL blocks the process's signals (SIGINT, SIGTERM, …) in the threads it makes, as we want here.
        let thread = SDL_CreateThread(
            { data in
                // SDL_CreateThread hands over exactly the pointer given to it.
                Unmanaged<SDLExecutor>.fromOpaque(data!).takeRetainedValue().runForever()
            },
            threadName,
            executor.toOpaque()
        )
        precondition(thread != nil, "the window's thread could not be started")
        SDL_DetachThread(thread)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        withLock {
            jobs.append(job)
            wake()
        }
    }

    package func isIsolatingCurrentContext() -> Bool? {
        threadID.load(ordering: .relaxed) == UInt(SDL_ThreadID())
    }

    package func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "not on the window thread")
    }

    /// Waits for SDL's events from now on, and hands them to `handler`; called on the thread itself, once
    /// SDL's video is up and while a window exists.
    func waitForEvents(handledBy handler: any SDLEventHandler) {
        withLock {
            self.handler = handler
            isWoken = false
            if !jobs.isEmpty { wake() }  // so far they have only signalled the condition
        }
    }

    /// Waits for jobs alone again; called on the thread itself, before SDL's video goes down.
    func stopWaitingForEvents() {
        withLock { handler = nil }
    }

    /// Whether there is a window whose events are handled.
    var waitsForEvents: Bool { withLock { handler != nil } }

    /// Posts the event that `isRedraw(_:of:)` recognises.
    ///
    /// Callable on any thread. False if no events are awaited or SDL's queue is full.
    func postRedraw(ofWindow id: UInt32) -> Bool {
        withLock { handler != nil && push(code: .redraw, windowID: id) }
    }

    /// Whether the event came from `postRedraw(ofWindow:)`.
    func isRedraw(_ event: SDL_Event) -> Bool {
        event.type == eventType && event.user.code == EventCode.redraw.rawValue
    }
}

// MARK: - The thread

extension SDLExecutor {
    private enum EventCode: Int32 {
        case jobs, redraw
    }

    private func runForever() -> Never {
        threadID.store(UInt(SDL_ThreadID()), ordering: .relaxed)
        while true {
            runPendingJobs()
            if let handler = withLock({ handler }) {
                WindowActor.assumeIsolated { handler.eventsHandled() }  // what the jobs have changed
                waitForEvent(handledBy: handler)
            } else {
                waitForJobs()
            }
        }
    }

    /// Runs the jobs present on entry and no later ones, so that events get their turn.
    ///
    /// Each leaves the list before it runs, because the thread may never return from it (`outliveDisplay`).
    private func runPendingJobs() {
        let count = withLock {
            isWoken = false
            return jobs.count
        }
        for _ in 0..<count {
            let job = withLock { jobs.isEmpty ? nil : jobs.removeFirst() }
            job?.runSynchronously(on: asUnownedSerialExecutor())
        }
    }

    /// Runs jobs alone from now on, inside the function of SDL's that found the display gone.
    func outliveDisplay() -> Never {
        let handler = withLock {
            defer { self.handler = nil }
            return self.handler
        }
        WindowActor.assumeIsolated { handler?.displayLost() }
        while true {
            runPendingJobs()
            waitForJobs()
        }
    }

    private func waitForJobs() {
        withLock {
            while jobs.isEmpty { SDL_CondWait(workArrived, lock) }
        }
    }

    private func waitForEvent(handledBy handler: any SDLEventHandler) {
        var event = SDL_Event()
        if let delay = WindowActor.assumeIsolated({ handler.delay }) {
            guard SDL_WaitEventTimeout(&event, Int32(clamping: delay)) == 1 else {
                return WindowActor.assumeIsolated { handler.eventsHandled() }
            }
        } else if SDL_WaitEvent(&event) != 1 {
            return stopWaitingForEvents()  // SDL's events are gone for good; jobs still have to run
        }
        WindowActor.assumeIsolated { [event] in handler.handle(event) }
        // A resize comes as a crowd of events; the picture is drawn once for all of them.
        var more = 0
        while more < 256, SDL_PollEvent(&event) == 1 {
            WindowActor.assumeIsolated { [event] in handler.handle(event) }
            more += 1
        }
        WindowActor.assumeIsolated { handler.eventsHandled() }
    }

    /// Called under the lock.
    ///
    /// Should SDL's queue be full the thread is not asleep, and looks at the jobs by itself.
    private func wake() {
        guard !isWoken else { return }
        isWoken = true
        if handler == nil {
            SDL_CondSignal(workArrived)
        } else {
            _ = push(code: .jobs, windowID: 0)
        }
    }

    /// Called under the lock, so that SDL's video cannot go down meanwhile.
    private func push(code: EventCode, windowID: UInt32) -> Bool {
        var event = SDL_Event()
        event.user.type = eventType
        event.user.windowID = windowID
        event.user.code = code.rawValue
        return SDL_PushEvent(&event) == 1
    }

    private func withLock<Result>(_ body: () -> Result) -> Result {
        SDL_LockMutex(lock)
        defer { SDL_UnlockMutex(lock) }
        return body()
    }
}
