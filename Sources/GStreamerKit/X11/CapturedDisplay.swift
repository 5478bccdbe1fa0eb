internal import Glibc
internal import Synchronization

/// A guard that keeps the process alive after the exit of an X server whose screen `ximagesrc` captures.
///
/// Xlib would otherwise end the process, including all calls and recordings.
package final class CapturedDisplay: Sendable {
    private typealias Handler = @convention(c) (OpaquePointer?) -> Int32
    private typealias SetHandler = @convention(c) (Handler?) -> Handler?

    /// A stream that yields one element when the connection to the X server is lost; single consumer.
    ///
    /// The capturing thread then never returns: its pipeline must be neither stopped nor released.
    package let losses: AsyncStream<Void>
    private let loss: AsyncStream<Void>.Continuation
    private let hasGone = Atomic(false)
    /// The ID of the capturing thread; 0 before it has captured anything.
    private let thread = Atomic<UInt>(0)

    private static let watched = Mutex<[CapturedDisplay]>([])

    package init() { (losses, loss) = AsyncStream.makeStream(of: Void.self) }

    package var isLost: Bool { hasGone.load(ordering: .relaxed) }

    /// Watches the X server that this `ximagesrc` is going to capture.
    package func watch(_ source: Element) {
        source.pad("src")?.onBuffer { [weak self] _ in
            self?.thread.store(UInt(pthread_self()), ordering: .relaxed)
        }
        Self.watched.withLock { $0.append(self) }
        _ = Self.others
    }

    /// Stops watching; to be called once nothing is captured any more.
    package func close() {
        Self.watched.withLock { all in all.removeAll { $0 === self } }
        loss.finish()
    }

    /// The I/O error handler that was installed before, such as a window's or Xlib's default; nil if libX11
    /// is not loaded.
    private static let others: Handler? = {
        guard let library = dlopen("libX11.so.6", RTLD_NOW | RTLD_NOLOAD),
            let function = dlsym(library, "XSetIOErrorHandler")
        else { return nil }
        // Xlib.h: XIOErrorHandler XSetIOErrorHandler(int (*)(Display *))
        let setHandler = unsafeBitCast(function, to: SetHandler.self)
        return setHandler { CapturedDisplay.lost($0) }
    }()

    /// Handles the loss of an X server on the thread that noticed it; if this function returns, Xlib ends the
    /// process.
    private static func lost(_ display: OpaquePointer?) -> Int32 {
        let thread = UInt(pthread_self())
        let captured = watched.withLock { all in all.first { $0.thread.load(ordering: .relaxed) == thread } }
        guard let captured else { return others?(display) ?? 0 }
        captured.hasGone.store(true, ordering: .relaxed)
        captured.loss.yield()
        while true { pause() }
    }
}
