internal import CSDL
internal import Synchronization

/// An executor that runs Swift jobs on the thread that owns SDL's video and events.
///
/// While a window is open, the thread waits in `SDL_WaitEvent`, and a job interrupts that wait through an
/// `SDLWaker`. Otherwise, or if SDL has no display, it waits on an `SDLMonitor`, because without a window
/// `SDL_WaitEvent` would poll its queue a thousand times per second.
package final class SDLExecutor: SerialExecutor, @unchecked Sendable {  // `monitor` guards the mutable state
    private let monitor = SDLMonitor()
    private let threadID = Atomic<UInt>(0)
    private let waker = SDLWaker()
    private var jobs: [UnownedJob] = []
    /// The IDs of the windows that must be redrawn.
    private var redraws: Set<UInt32> = []
    private var isWoken = false
    private var handler: (any SDLEventHandler)?

    init(threadName: String) { SDLThread.start(threadName) { self.runForever() } }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        monitor.withLock {
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

    /// Makes the executor wait for SDL's events and pass them to `handler`.
    ///
    /// To be called on the executor's thread, after SDL's video subsystem has started and while a window
    /// exists.
    package func waitForEvents(handledBy handler: any SDLEventHandler) {
        waker.resume()
        monitor.withLock {
            self.handler = handler
            isWoken = false
            if !jobs.isEmpty { wake() }  // the jobs queued so far have only notified the monitor
        }
    }

    /// Makes the executor wait only for jobs; to be called on the executor's thread, before SDL's video
    /// subsystem quits.
    package func stopWaitingForEvents() {
        monitor.withLock {
            handler = nil
            redraws = []
        }
        waker.pause()
    }

    /// Whether there is a window whose events are handled.
    var waitsForEvents: Bool { monitor.withLock { handler != nil } }

    /// Requests a redraw of a window, on any thread; returns false if the executor does not wait for events.
    package func postRedraw(ofWindow id: UInt32) -> Bool {
        monitor.withLock {
            guard handler != nil else { return false }
            redraws.insert(id)
            wake()
            return true
        }
    }

    /// Whether the current thread is the waker's.
    var isWaking: Bool { waker.isCurrentThread }

    /// Blocks the waker's thread forever, inside the SDL function that found the display connection lost.
    func loseWaker() -> Never { waker.stay() }
}

// MARK: - The thread

extension SDLExecutor {
    private func runForever() -> Never {
        threadID.store(UInt(SDL_ThreadID()), ordering: .relaxed)
        while true {
            runPendingJobs()
            if let handler = monitor.withLock({ handler }) {
                let redraws = takeRedraws()
                WindowActor.assumeIsolated {
                    for id in redraws { handler.frameArrived(inWindow: id) }
                    handler.eventsHandled()  // draws the changes made by the jobs
                }
                waitForEvent(handledBy: handler)
            } else {
                waitForJobs()
            }
        }
    }

    /// Removes and returns the requested redraws.
    ///
    /// To be called after `runPendingJobs`: requests made after it wake the thread again.
    private func takeRedraws() -> Set<UInt32> {
        monitor.withLock {
            defer { redraws = [] }
            return redraws
        }
    }

    /// Runs only the jobs that are pending at the time of the call, so that events are handled in between.
    ///
    /// Each job is removed before it runs, because it may never return (`runWithoutDisplay`).
    private func runPendingJobs() {
        let count = monitor.withLock {
            isWoken = false
            return jobs.count
        }
        for _ in 0..<count {
            let job = monitor.withLock { jobs.isEmpty ? nil : jobs.removeFirst() }
            job?.runSynchronously(on: asUnownedSerialExecutor())
        }
    }

    /// Handles the loss of the display connection, and then only runs jobs; does not return to the SDL function that
    /// found the loss.
    func runWithoutDisplay() -> Never {
        Display.noteLoss()
        let handler = monitor.withLock {
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
        monitor.withLock {
            while jobs.isEmpty {
                isWoken = false  // for example by a redraw of a window that is now closed
                monitor.wait()
            }
        }
    }

    private func waitForEvent(handledBy handler: any SDLEventHandler) {
        var event = SDL_Event()
        if let delay = WindowActor.assumeIsolated({ handler.delay }) {
            guard SDL_WaitEventTimeout(&event, Int32(clamping: delay)) == 1 else {
                return WindowActor.assumeIsolated { handler.eventsHandled() }
            }
        } else if SDL_WaitEvent(&event) != 1 {
            return stopWaitingForEvents()  // SDL delivers no more events, but jobs still have to run
        }
        WindowActor.assumeIsolated { [event] in handler.handle(event) }
        // A resize causes many events; the window is drawn once for all of them.
        var more = 0
        while more < 256, SDL_PollEvent(&event) == 1 {
            WindowActor.assumeIsolated { [event] in handler.handle(event) }
            more += 1
        }
        WindowActor.assumeIsolated { handler.eventsHandled() }
    }

    /// Wakes the executor's thread; to be called under the monitor's lock.
    private func wake() {
        guard !isWoken else { return }
        isWoken = true
        if handler == nil {
            monitor.notify()
        } else {
            waker.wake()
        }
    }
}
