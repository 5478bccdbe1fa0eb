/// The reason why an event was not sent or not acknowledged.
public enum SocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no connection, and the buffer for events is full, or no further connection will be opened.
    case bufferFull
    /// The event has more attachments than Socket.IO receivers accept.
    case tooManyAttachments
    /// The message exceeds the limit in bytes that the server announced (`maxPayload`).
    case tooLarge(bytes: Int, limit: Int)
    /// No acknowledgement arrived within the time limit.
    case timedOut
    /// The connection ended before the acknowledgement arrived.
    case disconnected

    /// A one-line message.
    public var description: String {
        switch self {
        case .bufferFull: "too many events are waiting for a connection"
        case .tooManyAttachments: "an event can have at most 10 attachments"
        case .tooLarge(let bytes, let limit):
            "the event has \(bytes) bytes, and the server accepts at most \(limit)"
        case .timedOut: "no acknowledgement in time"
        case .disconnected: "the socket has been disconnected"
        }
    }
}
