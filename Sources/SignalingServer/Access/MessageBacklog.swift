internal import FrontParsers
internal import NIOCore

/// The messages that a client sends before its join is accepted or refused, in the order of arrival.
struct MessageBacklog {
    static let maximumMessages = 64
    static let maximumBytes = 64 << 10

    private(set) var messages: [FramedMessage] = []
    private var byteCount = 0

    /// Adds a message; false if too many messages or bytes would be waiting.
    mutating func add(_ message: FramedMessage) -> Bool {
        byteCount += message.payload.readableBytes
        guard messages.count < Self.maximumMessages, byteCount <= Self.maximumBytes else { return false }
        messages.append(message)
        return true
    }
}
