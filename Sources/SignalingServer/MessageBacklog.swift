/// Messages that wait while it is found out whether their sender is let in, in their order.
struct MessageBacklog {
    enum Message {
        case text(String)
        case binary([UInt8])
    }

    static let maximumMessages = 64
    static let maximumBytes = 64 << 10

    private(set) var messages: [Message] = []
    private var byteCount = 0

    /// Takes a message; false where too many wait already.
    mutating func add(_ message: Message) -> Bool {
        switch message {
        case .text(let text): byteCount += text.utf8.count
        case .binary(let bytes): byteCount += bytes.count
        }
        guard messages.count < Self.maximumMessages, byteCount <= Self.maximumBytes else { return false }
        messages.append(message)
        return true
    }
}
