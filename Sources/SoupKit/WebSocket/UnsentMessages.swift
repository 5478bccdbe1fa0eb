internal import GLibKit

/// The messages of a WebSocket that the server has not received, with a bound.
///
/// libsoup queues any number of messages for a server that does not read. Whatever the server has received is
/// known from the TCP connection.
@LoopActor
final class UnsentMessages {
    /// The maximum number of messages.
    static let countLimit = 1024
    /// The maximum sum of their lengths in bytes; one message may exceed it alone.
    static let sizeLimit = 8 << 20
    /// The length of a frame's header with its mask (RFC 6455 §5.2), at least.
    private static let header = 6

    private let connection: ObjectRef
    /// The number of bytes that had been acknowledged on the connection before the first message.
    private let start: Int
    /// The number of bytes of all messages so far.
    private var total = 0
    /// For each message that may not have arrived, the number of bytes up to its end.
    private var ends: [Int] = []

    /// Begins to count on an open `GSocketConnection`.
    init(on connection: ObjectRef) {
        self.connection = connection
        start = connection.bytesAcknowledged ?? 0
    }

    /// Counts a message that is to be sent.
    ///
    /// - Returns: False if too much waits already, so that it must not be sent.
    func add(bytes: Int) -> Bool {
        guard let acknowledged = connection.bytesAcknowledged else { return true }
        let arrived = acknowledged - start
        ends.removeFirst(ends.firstIndex { $0 > arrived } ?? ends.count)
        // TLS and control frames are acknowledged too, and must give later messages no credit.
        total = max(total, arrived)
        guard ends.isEmpty || ends.count < Self.countLimit && total - arrived + bytes <= Self.sizeLimit else {
            return false
        }
        total += bytes + Self.header
        ends.append(total)
        return true
    }
}
