internal import Basics
internal import Synchronization

/// A sink for previews, which limits the frame rate by dropping frames that arrive within `interval` of the previous
/// one.
final class SlowSink: VideoSink {
    private static let interval = Duration.milliseconds(60)

    private let pass: @Sendable (VideoFrame) -> Void
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    init(_ pass: @escaping @Sendable (VideoFrame) -> Void) { self.pass = pass }

    func show(_ frame: VideoFrame, from side: MediaSide) {
        let isDue = last.withLock { last in
            let now = ContinuousClock.now
            if let last, last + Self.interval > now { return false }
            last = now
            return true
        }
        if isDue { pass(frame) }
    }
}
