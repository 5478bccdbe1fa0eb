internal import NIOCore

/// Messages that wait while it is found out whether their sender is let in, in their order.
struct MessageBacklog {
    static let maximumMessages = 64
    static let maximumBytes = 64 << 10

    private(set) var messages: [FramedMessage] = []
    private var byteCount = 0

    /// Takes a message; false where too many wait already.
    mutating func add(_ message: FramedMessage) -> Bool {
        byteCount += message.payload.readableBytes
        guard messages.count < Self.maximumMessages, byteCount <= Self.maximumBytes else { return false }
        messages.append(message)
        return true
    }
}
