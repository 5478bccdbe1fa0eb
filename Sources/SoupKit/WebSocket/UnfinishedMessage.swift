internal import GLibKit

/// A counter of the bytes read from a WebSocket since its last complete message, with a limit.
///
/// libsoup limits the size of each frame, but collects any number of frames until a message is complete.
@LoopActor
final class UnfinishedMessage {
    private let connection: ObjectRef
    private var start: Int
    private var watch: ReadableWatch?

    /// Starts to count the received bytes of a `GSocketConnection`; calls `onExceeded` once if they exceed
    /// the limit.
    init(on connection: ObjectRef, limit: Int, onExceeded: @escaping @LoopActor () -> Void) {
        self.connection = connection
        start = connection.bytesRead ?? 0
        watch = ReadableWatch(connection) { [weak self] in
            guard let self, let count = connection.bytesRead, count - start > limit else { return }
            cancel()
            onExceeded()
        }
    }

    /// Restarts the count after a complete message.
    func complete() { start = connection.bytesRead ?? start }

    func cancel() {
        watch?.cancel()
        watch = nil
    }

    /// Returns the limit in bytes for messages of up to `size` bytes, with room for frame headers, pings and
    /// TLS.
    static func limit(forMessagesUpTo size: Int) -> Int { 2 * min(size, 1 << 40) + 65_536 }
}
