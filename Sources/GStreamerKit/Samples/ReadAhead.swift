internal import CGStreamer

/// A throttle that makes a demuxer fill queues in bursts.
///
/// A full queue wakes its demuxer for every sample that leaves the queue. The throttle lets the demuxer's
/// thread sleep once every queue contains `enough` nanoseconds of data, until half of that is left in one of
/// them.
package final class ReadAhead: Sendable {
    private let queues: [Element]
    /// The level in nanoseconds at which the demuxer sleeps.
    private let enough: UInt64
    private let sleeper = Sleeper()

    /// Throttles the input of `queues`, which must be fed by one demuxer and have no time limit.
    ///
    /// `enough` is in nanoseconds. If a file stores its streams far from each other, one queue grows, up to
    /// its byte limit, until the other contains enough.
    package init(_ queues: [Element], enough: UInt64) {
        self.queues = queues
        self.enough = enough
        for queue in queues { queue.pad("sink").map(watch) }
    }

    /// Ends the throttling permanently, so that the pipeline can be stopped immediately.
    package func stop() { sleeper.end(forGood: true) }

    private func watch(_ pad: Pad) {
        pad.addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_EVENT_FLUSH) { [self] _, info in
            pass(info)
            return GST_PAD_PROBE_OK
        }
    }

    private func pass(_ info: UnsafeMutablePointer<GstPadProbeInfo>) {
        guard info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue == 0 else {
            return waitUntilNeeded()
        }
        guard let event = gst_pad_probe_info_get_event(info) else { return }
        // The flushing thread waits for the thread that sleeps here.
        if event.pointee.type == GST_EVENT_FLUSH_START { sleeper.end() } else { sleeper.allow() }
    }

    private func waitUntilNeeded() {
        while let minimum = queues.map({ UInt64(clamping: $0.int("current-level-time")) }).min(),
            minimum >= enough
        {
            guard sleeper.sleep(nanoseconds: minimum - enough / 2) else { return }
        }
    }
}

/// An interruptible sleep of a streaming thread.
private final class Sleeper: @unchecked Sendable {  // `mutex` guards the mutable state
    private let mutex = UnsafeMutablePointer<GMutex>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<GCond>.allocate(capacity: 1)
    private var isOver = false
    private var isOverForGood = false

    init() {
        g_mutex_init(mutex)
        g_cond_init(condition)
    }

    deinit {
        g_mutex_clear(mutex)
        g_cond_clear(condition)
        mutex.deallocate()
        condition.deallocate()
    }

    /// Sleeps until the time has passed or another thread ends the sleep.
    ///
    /// - Returns: False if the sleep was ended early.
    func sleep(nanoseconds: UInt64) -> Bool {
        g_mutex_lock(mutex)
        defer { g_mutex_unlock(mutex) }
        let end = g_get_monotonic_time() + gint64(clamping: nanoseconds / 1000)
        while !isOver, !isOverForGood {
            if g_cond_wait_until(condition, mutex, end) == 0 { return true }
        }
        return false
    }

    /// Ends the current sleep, and prevents further ones until `allow`, or permanently if `forGood` is true.
    func end(forGood: Bool = false) {
        g_mutex_lock(mutex)
        isOver = true
        isOverForGood = isOverForGood || forGood
        g_cond_broadcast(condition)
        g_mutex_unlock(mutex)
    }

    func allow() {
        g_mutex_lock(mutex)
        isOver = false
        g_mutex_unlock(mutex)
    }
}
