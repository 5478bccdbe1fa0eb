internal import CGStreamer

/// Lets a demuxer fill queues in bursts.
///
/// A full queue wakes its demuxer for every sample that leaves it. Here the demuxer's thread sleeps from
/// the moment when every queue holds enough until half of that is left.
package final class ReadAhead: Sendable {
    private let queues: [Element]
    /// Nanoseconds.
    private let enough: UInt64
    private let rest = Rest()

    /// Holds back what enters `queues`, which one demuxer feeds and which have no limit of time.
    ///
    /// `enough` is in nanoseconds. Where a file keeps its streams far from each other, one queue grows,
    /// up to its limit of bytes, until the other holds enough.
    package init(_ queues: [Element], enough: UInt64) {
        self.queues = queues
        self.enough = enough
        for queue in queues { queue.pad("sink").map(watch) }
    }

    /// Lets the demuxer go for good, so that its pipeline can be stopped at once.
    package func stop() { rest.end(forGood: true) }

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
        // The thread that flushes waits for the one that sleeps here.
        if event.pointee.type == GST_EVENT_FLUSH_START { rest.end() } else { rest.allow() }
    }

    private func waitUntilNeeded() {
        while let least = queues.map({ UInt64(clamping: $0.int("current-level-time")) }).min(),
            least >= enough
        {
            guard rest.sleep(nanoseconds: least - enough / 2) else { return }
        }
    }
}

/// A sleep of a streaming thread that another thread can end.
private final class Rest: @unchecked Sendable {  // `mutex` guards what changes
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

    /// - Returns: false where it was ended.
    func sleep(nanoseconds: UInt64) -> Bool {
        g_mutex_lock(mutex)
        defer { g_mutex_unlock(mutex) }
        let end = g_get_monotonic_time() + gint64(clamping: nanoseconds / 1000)
        while !isOver, !isOverForGood {
            if g_cond_wait_until(condition, mutex, end) == 0 { return true }
        }
        return false
    }

    /// Ends it, and all further ones until they are allowed again.
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
