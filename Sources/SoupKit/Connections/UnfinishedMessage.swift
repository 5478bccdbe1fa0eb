internal import GLibKit
internal import Synchronization

/// A limit for the data of an incomplete WebSocket message or response part, and for the duration of receiving data
/// without a pause.
///
/// libsoup limits the size of each frame, but collects any number of frames until a message is complete. In a response,
/// it skips any number of interim responses, trailer fields and compressed blocks without content. It also reads as
/// long as data is available, and the loop does nothing else during that time.
final class UnfinishedMessage: Sendable {
    enum Excess: Sendable { case size, duration }

    private struct Progress {
        /// The number of bytes that were received before the message.
        var start = 0
        var excess: Excess?
        /// The loop iteration during which received data is waiting, its start, and the number of bytes read before it.
        var burst: (turn: Int, start: ContinuousClock.Instant, read: Int)?
    }

    /// The maximum time for which data may wait during one loop iteration.
    private static let longestBurst: Duration = .seconds(5)

    private let limit: Int
    private let progress = Mutex(Progress())
    private let watch = Mutex<ArrivalWatch?>(nil)

    /// Starts to count the bytes received on a `GSocketConnection`, which is closed if they exceed `limit`.
    init(on connection: ObjectRef, limit: Int) {
        self.limit = limit
        let arrivals = ArrivalWatch(connection) { [weak self] in self?.check() ?? false }
        progress.withLock { $0.start = arrivals.bytes?.read ?? 0 }
        watch.withLock { $0 = arrivals }
    }

    /// The limit that was exceeded, so that the connection was closed; nil if none was.
    var excess: Excess? { progress.withLock { $0.excess } }

    /// Returns the failure of a connection that was closed because of a limit; nil if it was not.
    func failure(limit: Int) -> HTTPFailure? {
        switch excess {
        case .size: .tooLarge(limit: limit)
        case .duration: .broken("the server sends without a pause")
        case nil: nil
        }
    }

    /// Restarts the count after a complete message or part.
    func complete() {
        guard let bytes = watch.withLock({ $0 })?.bytes else { return }
        progress.withLock { $0.start = bytes.read }
    }

    func cancel() { watch.withLock { $0 }?.cancel() }

    /// Closes the connection if a limit is exceeded; otherwise returns whether further checks are needed because data
    /// is waiting.
    private func check() -> Bool {
        guard let watch = watch.withLock({ $0 }), let bytes = watch.bytes else { return false }
        let (turn, now) = (LoopActor.turns, ContinuousClock.now)
        let (isExceeded, isHeldUp) = progress.withLock { progress in
            if progress.burst?.turn != turn {
                progress.burst = bytes.waiting > 0 ? (turn, now, bytes.read) : nil
            }
            // A loop that reads nothing is busy with something else.
            let isLong =
                progress.burst.map { now - $0.start > Self.longestBurst && bytes.read > $0.read } ?? false
            if bytes.read - progress.start > limit {
                progress.excess = .size
            } else if isLong {
                progress.excess = .duration
            }
            return (progress.excess != nil, progress.burst != nil)
        }
        if isExceeded { watch.breakOff() }
        return isHeldUp && !isExceeded
    }

    /// Returns the limit in bytes for messages of up to `size` bytes, including frame headers, pings and TLS overhead.
    static func limit(forMessagesUpTo size: Int) -> Int { 2 * min(size, 1 << 40) + 65_536 }
}
