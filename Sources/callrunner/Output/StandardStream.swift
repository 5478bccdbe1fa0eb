internal import GLibKit
internal import Glibc

/// A standard stream of the process, written on its own thread because its reader may be slow.
actor StandardStream {
    static let output = StandardStream(STDOUT_FILENO, threadName: "standard-output")
    static let error = StandardStream(STDERR_FILENO, threadName: "standard-error")

    /// The error of a stream that accepts no more output, with the `errno` of the failed write.
    struct Closed: Error {
        let code: Int32

        /// Whether the reader closed the stream, which is not a failure of this program.
        var isReaderGone: Bool { code == EPIPE || code == EBADF }

        var reason: String { String(cString: strerror(code)) }
    }

    private let descriptor: Int32
    private let executor: GLibExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates a stream for `descriptor`, which the stream never closes.
    init(_ descriptor: Int32, threadName: String) {
        self.descriptor = descriptor
        executor = GLibExecutor(threadName: threadName)
    }

    /// Writes all of `text`, however long the reader takes.
    func write(_ text: String) throws(Closed) {
        try Self.write(text, to: descriptor)
    }

    /// Opens missing standard descriptors on `/dev/null`, so that no other file gets their descriptor
    /// numbers.
    static func secureDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The descriptor is opened for reading only, so that writing fails as on a closed descriptor.
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// Writes all of `text`; blocks while the descriptor accepts no data.
    static func write(_ text: String, to descriptor: Int32) throws(Closed) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written >= 0 {
                bytes = bytes.dropFirst(written)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:  // the parent process made it non-blocking
                var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&request, 1, -1)
            default: throw Closed(code: errno)
            }
        }
    }
}
