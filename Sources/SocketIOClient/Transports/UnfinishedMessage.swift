internal import GLibKit

/// The bytes of a WebSocket that were read since its last complete message, with a limit.
///
/// libsoup limits each frame, but collects the frames of a message without a limit until the last one.
@LoopActor
final class UnfinishedMessage {
    private let connection: ObjectRef
    private var start: Int
    private var watch: ReadableWatch?

    /// Counts the bytes of a `GSocketConnection`, and calls `onExceeded` once if they exceed the limit.
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

    /// The limit of bytes for messages up to that size, with room for the headers of frames, pings and TLS.
    static func limit(forMessagesUpTo size: Int) -> Int { 2 * min(size, 1 << 40) + 65_536 }
}
