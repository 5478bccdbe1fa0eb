internal import NIOCore

/// Those who have written something since their last flush.
///
/// What one read makes many write is flushed once for each of them, when all of it has been read.
final class WriteBatch {
    private let eventLoop: any EventLoop
    private var writers: [any BatchedWriter] = []
    private var isReading = false
    private var beginning = NIODeadline.distantPast

    init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// When what is handled now was read: of all that one read brought, the same.
    var readTime: NIODeadline { isReading ? beginning : .now() }

    /// Has the writer flushed soon; it is to be added once only until then.
    func add(_ writer: any BatchedWriter) {
        writers.append(writer)
        guard !isReading, writers.count == 1 else { return }
        eventLoop.assumeIsolated().execute { self.flush() }
    }

    /// A connection is being read: `endReading()` follows.
    func beginReading() {
        isReading = true
        beginning = .now()
    }

    func endReading() {
        isReading = false
        flush()
    }

    private func flush() {
        // To flush may close connections, and that may write to others.
        while let writer = writers.popLast() { writer.flushBatch() }
    }
}

/// What writes without flushing at once.
protocol BatchedWriter: AnyObject {
    func flushBatch()
}
