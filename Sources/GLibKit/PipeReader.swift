internal import CGLib
internal import Glibc

/// The reading end of a pipe, which is read on a separate thread.
///
/// For events that occur many times a second, this costs less than the GLib loop and a task.
package final class PipeReader: Sendable {
    private let descriptor: Int32

    private init(taking descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Creates a pipe.
    ///
    /// - Returns: Both ends; the caller has to close the writer.
    /// - Throws: `GLibError`.
    package static func pipe() throws(GLibError) -> (reader: PipeReader, writer: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe2(&ends, O_CLOEXEC) == 0 else {
            throw GLibError(domain: "errno", code: Int(errno), message: String(cString: strerror(errno)))
        }
        return (PipeReader(taking: ends[0]), ends[1])
    }

    /// Calls `body` with the bytes that have arrived, on a new thread, until all writers are closed; to be called once.
    ///
    /// - Returns: A stream that finishes after the last call.
    package func start(
        threadName: String,
        _ body: @escaping @Sendable ([UInt8]) -> Void
    ) -> AsyncStream<Never> {
        run(threadName: threadName) { $0.passOn(body) }
    }

    /// Calls `body` on a new thread; to be called once.
    ///
    /// - Returns: A stream that finishes when `body` returns.
    package func run(
        threadName: String,
        _ body: @escaping @Sendable (PipeReader) -> Void
    ) -> AsyncStream<Never> {
        let (end, continuation) = AsyncStream.makeStream(of: Never.self)
        GLibThread.start(threadName) {
            body(self)
            continuation.finish()
        }
        return end
    }

    /// Waits until all of `bytes` has arrived; false at the end of the pipe.
    package func fill(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = read(
                descriptor,
                UnsafeMutableRawBufferPointer(rebasing: rest).baseAddress,
                rest.count
            )
            guard count > 0 || count < 0 && errno == EINTR else { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }

    private func passOn(_ body: ([UInt8]) -> Void) {
        var bytes = [UInt8](repeating: 0, count: 64)
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 || count < 0 && errno == EINTR else { return }
            if count > 0 { body(Array(bytes.prefix(count))) }
        }
    }
}
