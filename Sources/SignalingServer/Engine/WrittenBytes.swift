internal import NIOCore

/// Counts what is written to a channel, and finds out from time to time how much of it the socket has not taken.
///
/// To ask costs more than to send: that is done when so much has been written that it may not fit into the socket's own
/// buffer.
struct WrittenBytes {
    /// Bytes that the buffer of a socket takes at least.
    private static let socketBuffer = 16_384

    /// Bytes that the socket had not taken when it was last asked.
    private var waiting = 0
    /// Bytes written since.
    private var written = 0

    /// Bytes that may wait at most.
    var mayWait: Int { waiting + written }

    /// Whether it is time to ask.
    var isWorthAsking: Bool { written >= Self.socketBuffer }

    mutating func add(_ count: Int) { written += count }

    /// Asks how many bytes wait, and whether any were taken since the last time.
    mutating func look(at channel: (any Channel)?) -> (waiting: Int, hasProgress: Bool) {
        // Where the channel is closed nothing waits.
        let now = (try? channel?.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        defer { (waiting, written) = (now, 0) }
        return (now, now < waiting + written)
    }
}
