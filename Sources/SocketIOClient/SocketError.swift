/// Why an event was not sent, or its acknowledgement did not come.
public enum SocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not connected, and as many events are waiting as the configuration allows.
    case bufferFull
    /// More attachments than Socket.IO receivers accept.
    case tooManyAttachments
    /// A message of so many bytes is above the limit that the server has told (`maxPayload`).
    case tooLarge(bytes: Int, limit: Int)
    /// No acknowledgement within the time given.
    case timedOut
    /// The connection ended before the acknowledgement came.
    case disconnected

    /// One line for people.
    public var description: String {
        switch self {
        case .bufferFull: "too many events are waiting for a connection"
        case .tooManyAttachments: "an event can carry 10 attachments"
        case .tooLarge(let bytes, let limit):
            "the event has \(bytes) bytes, and the server takes \(limit) at most"
        case .timedOut: "no acknowledgement in time"
        case .disconnected: "the socket has been disconnected"
        }
    }
}
