package import NIOCore

/// The writers with output that has not been flushed.
///
/// The output caused by one channel read is flushed once per writer, at the end of the read.
package final class WriteBatch {
    private let eventLoop: any EventLoop
    private var writers: [any BatchedWriter] = []
    private var isReading = false
    private var beginning = NIODeadline.distantPast

    package init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// The time at which the current channel read began; outside of a read, the current time.
    package var readTime: NIODeadline { isReading ? beginning : .now() }

    /// Schedules a flush of a writer, which must not be added again before the flush.
    package func add(_ writer: any BatchedWriter) {
        writers.append(writer)
        guard !isReading, writers.count == 1 else { return }
        eventLoop.assumeIsolated().execute { self.flush() }
    }

    /// Marks the start of a channel read; `endReading()` must be called at its end.
    package func beginReading() {
        isReading = true
        beginning = .now()
    }

    package func endReading() {
        isReading = false
        flush()
    }

    private func flush() {
        // Flushing may close connections, and thereby cause output to other clients.
        while let writer = writers.popLast() { writer.flushBatch() }
    }
}

/// A writer whose output is flushed by a `WriteBatch`.
package protocol BatchedWriter: AnyObject {
    func flushBatch()
}
