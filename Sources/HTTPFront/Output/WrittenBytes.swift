package import NIOCore

/// A count of the bytes written to a channel, with occasional checks of how many have not been sent to the
/// socket.
///
/// A check costs more than a write. It is therefore made only when so much has been written that the socket's
/// buffer may be full.
package struct WrittenBytes {
    /// The minimum size of a socket's buffer in bytes.
    private static let socketBuffer = 16_384

    /// The number of bytes that waited in the channel at the last check.
    private var waiting: UInt32 = 0
    /// The number of bytes written since the last check.
    private var written: UInt32 = 0

    package init() {}

    /// The maximum number of bytes that can be waiting in the channel.
    package var mayWait: Int { Int(waiting) + Int(written) }

    /// Whether enough bytes have been written for another check.
    package var isWorthAsking: Bool { written >= Self.socketBuffer }

    package mutating func add(_ count: Int) { written = UInt32(clamping: Int(written) + count) }

    /// Checks how many bytes wait in the channel, and whether any were sent to the socket since the last
    /// check.
    package mutating func look(at channel: (any Channel)?) -> (waiting: Int, hasProgress: Bool) {
        // A closed channel has no waiting bytes.
        let now = (try? channel?.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        defer { (waiting, written) = (UInt32(clamping: now), 0) }
        return (now, now < mayWait)
    }
}
