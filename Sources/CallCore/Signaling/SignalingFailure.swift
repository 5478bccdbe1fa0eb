/// The reason why the room cannot be reached; each ends a run with exit code 4.
package enum SignalingFailure: Error, Hashable, Sendable {
    /// Nothing responded at `url` within the server timeout.
    case unreachable(url: String, detail: String)
    /// The server at `url` does not speak Engine.IO 4 and Socket.IO 5.
    case notSocketIO(url: String, detail: String)
    /// CONNECT_ERROR `room_full`.
    case roomFull
    /// CONNECT_ERROR `role_taken`.
    case roleTaken
    /// CONNECT_ERROR for a missing or invalid token.
    case unauthorized(String)
    /// HTTP status 401 or 403 before Socket.IO: the server, or a proxy in front of it, refuses the
    /// connection.
    case forbidden(String)
    /// Any other CONNECT_ERROR.
    case refused(String)
    /// An event above the size limit, or one that is not a Socket.IO packet.
    case badEvent(String)
    /// One of our messages is too large for the server; names the message and, if known, the limit.
    case tooLarge(String)
    /// The connection was lost and not restored within `seconds`.
    case lost(seconds: Double)
}
