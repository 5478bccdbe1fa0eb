internal import CGLib
internal import Synchronization

/// An executor that runs Swift jobs on the one thread that iterates a private `GMainContext`.
///
/// A single `GSource` dispatches the jobs, so that they alternate with sockets, timers and bus watches.
package final class GLibExecutor: SerialExecutor {
    nonisolated(unsafe) private let context: OpaquePointer  // GMainContext is thread-safe by contract
    private let pending = Mutex<[UnownedJob]>([])
    private let changes = Atomic(0)

    package init(threadName: String) {
        _ = GIOTypes.areRegistered
        context = g_main_context_new()
        attachJobSource()
        GLibThread.start(threadName) { self.iterateForever() }  // the thread keeps its executor alive
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pending.withLock { $0.append(job) }
        g_main_context_wakeup(context)  // never g_main_context_invoke: it would run the job inside the caller
    }

    package func isIsolatingCurrentContext() -> Bool? { g_main_context_is_owner(context) != 0 }

    package func checkIsolated() {
        precondition(g_main_context_is_owner(context) != 0, "not on the GLib loop thread")
    }

    private func iterateForever() {
        // libsoup and GIO calls made on this thread also complete on it
        g_main_context_push_thread_default(context)
        g_main_loop_run(g_main_loop_new(context, 0))
    }

    /// The number of times that the loop has begun or ended waiting for events, even if it did not have to wait.
    package var turns: Int { changes.load(ordering: .relaxed) }

    fileprivate func beginTurn() { changes.wrappingAdd(1, ordering: .relaxed) }

    fileprivate var hasPendingJobs: Bool { pending.withLock { !$0.isEmpty } }

    /// Runs only the jobs that are pending at the time of the call, so that other sources are dispatched in
    /// between.
    fileprivate func runPendingJobs() {
        let batch = pending.withLock { jobs in
            defer { jobs.removeAll(keepingCapacity: true) }
            return jobs
        }
        for job in batch { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    private func attachJobSource() {
        let size = guint(MemoryLayout<JobSource>.size)
        guard let source = g_source_new(JobSource.functions, size) else { return }
        source.withMemoryRebound(to: JobSource.self, capacity: 1) {
            $0.pointee.executor = Unmanaged.passUnretained(self).toOpaque()
        }
        g_source_attach(source, context)
        g_source_unref(source)
    }
}

/// A `GSource` with one more field, laid out as GLib requires of its subclasses.
private struct JobSource {
    var base: GSource
    var executor: UnsafeMutableRawPointer

    // Written once here and only read afterwards. GLib uses the address until the process ends.
    nonisolated(unsafe) static let functions: UnsafeMutablePointer<GSourceFuncs> = {
        let functions = UnsafeMutablePointer<GSourceFuncs>.allocate(capacity: 1)
        functions.initialize(
            to: GSourceFuncs(
                prepare: { source, timeout in
                    timeout?.pointee = -1
                    let executor = JobSource.executor(of: source)
                    executor.beginTurn()
                    return executor.hasPendingJobs ? 1 : 0
                },
                check: { source in
                    let executor = JobSource.executor(of: source)
                    // Marks the end of the wait, so that a long wait is not mistaken for a blocked loop.
                    executor.beginTurn()
                    return executor.hasPendingJobs ? 1 : 0
                },
                dispatch: { source, _, _ in
                    JobSource.executor(of: source).runPendingJobs()
                    return 1
                },
                finalize: nil,
                closure_callback: nil,
                closure_marshal: nil
            )
        )
        return functions
    }()

    static func executor(of source: UnsafeMutablePointer<GSource>?) -> GLibExecutor {
        // GLib calls the functions above only with the source to which they belong.
        source!.withMemoryRebound(to: JobSource.self, capacity: 1) {
            Unmanaged<GLibExecutor>.fromOpaque($0.pointee.executor).takeUnretainedValue()
        }
    }
}
