internal import NIOCore

/// A count of the bytes written to a channel, with occasional checks of how many the socket has not taken.
///
/// A check costs more than sending. It is therefore made only when so much has been written that the socket's
/// buffer may be full.
struct WrittenBytes {
    /// The minimum size of a socket's buffer in bytes.
    private static let socketBuffer = 16_384

    /// The bytes that the socket had not taken at the last check.
    private var waiting = 0
    /// The bytes written since the last check.
    private var written = 0

    /// The maximum number of bytes that may be waiting.
    var mayWait: Int { waiting + written }

    /// Whether a check is worth its cost now.
    var isWorthAsking: Bool { written >= Self.socketBuffer }

    mutating func add(_ count: Int) { written += count }

    /// Checks how many bytes wait, and whether any were taken since the last check.
    mutating func look(at channel: (any Channel)?) -> (waiting: Int, hasProgress: Bool) {
        // Nothing waits in a closed channel.
        let now = (try? channel?.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        defer { (waiting, written) = (now, 0) }
        return (now, now < waiting + written)
    }
}
