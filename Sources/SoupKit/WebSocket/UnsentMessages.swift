internal import GLibKit

/// The messages of a WebSocket that the server has not received yet, limited in number and size.
///
/// libsoup queues any number of messages for a server that does not read. The number of received bytes is known from
/// the TCP acknowledgements.
@LoopActor
final class UnsentMessages {
    /// The maximum number of messages.
    static let countLimit = 1024
    /// The maximum total length in bytes; a single message may exceed it.
    static let sizeLimit = 8 << 20
    /// The minimum length of a frame's header with its mask (RFC 6455 §5.2).
    private static let header = 6

    private let connection: ObjectRef
    /// The number of bytes acknowledged on the connection before the first message.
    private let start: Int
    /// The total number of bytes of all messages so far.
    private var total = 0
    /// The total number of bytes up to the end of each message that may not have arrived.
    private var ends: [Int] = []

    /// Starts to count on an open `GSocketConnection`.
    init(on connection: ObjectRef) {
        self.connection = connection
        start = connection.bytesAcknowledged ?? 0
    }

    /// Counts a message before it is sent.
    ///
    /// - Returns: False if too much data is unsent, so that the message must not be sent.
    func add(bytes: Int) -> Bool {
        guard let acknowledged = connection.bytesAcknowledged else { return true }
        let arrived = acknowledged - start
        ends.removeFirst(ends.firstIndex { $0 > arrived } ?? ends.count)
        // Bytes of TLS and of control frames are acknowledged, too; they must not count as received bytes of later
        // messages.
        total = max(total, arrived)
        guard ends.isEmpty || ends.count < Self.countLimit && total - arrived + bytes <= Self.sizeLimit else {
            return false
        }
        total += bytes + Self.header
        ends.append(total)
        return true
    }
}
