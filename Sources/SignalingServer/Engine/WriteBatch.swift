internal import NIOCore

/// The writers that have written since their last flush.
///
/// The output caused by one read is flushed once per writer, when all of it has been read.
final class WriteBatch {
    private let eventLoop: any EventLoop
    private var writers: [any BatchedWriter] = []
    private var isReading = false
    private var beginning = NIODeadline.distantPast

    init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// The time at which the current input was read; the same for everything of one read.
    var readTime: NIODeadline { isReading ? beginning : .now() }

    /// Schedules a flush of the writer, which must not be added again before that.
    func add(_ writer: any BatchedWriter) {
        writers.append(writer)
        guard !isReading, writers.count == 1 else { return }
        eventLoop.assumeIsolated().execute { self.flush() }
    }

    /// Marks the start of a connection's read; `endReading()` follows.
    func beginReading() {
        isReading = true
        beginning = .now()
    }

    func endReading() {
        isReading = false
        flush()
    }

    private func flush() {
        // A flush may close connections, which may write to others.
        while let writer = writers.popLast() { writer.flushBatch() }
    }
}

/// A writer that does not flush at once.
protocol BatchedWriter: AnyObject {
    func flushBatch()
}
