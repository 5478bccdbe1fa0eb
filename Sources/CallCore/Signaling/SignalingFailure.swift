/// The reason why the room cannot be reached; a run that fails for such a reason has exit code 4.
package enum SignalingFailure: Error, Hashable, Sendable {
    /// No connection to `url` could be opened: for example, nothing responded in time, the host refused the
    /// connection, its certificate is not trusted, a proxy answered with status 500 or above, or the URL is
    /// invalid.
    case unreachable(url: String, detail: String)
    /// The server at `url` does not speak Engine.IO 4 and Socket.IO 5.
    case notSocketIO(url: String, detail: String)
    /// The server sent CONNECT_ERROR `room_full`.
    case roomFull
    /// The server sent CONNECT_ERROR `role_taken`.
    case roleTaken
    /// The server sent a CONNECT_ERROR for a missing or invalid token.
    case unauthorized(String)
    /// The server, or a proxy in front of it, refused the HTTP connection with status 401 or 403.
    case forbidden(String)
    /// The server sent any other CONNECT_ERROR.
    case refused(String)
    /// The server sent an event above the size limit, a malformed packet, or too many events.
    case badEvent(String)
    /// One of our messages is too large for the server; the value contains its name and the limit, if known.
    case tooLarge(String)
    /// The connection was lost and not restored within `seconds`.
    case lost(seconds: Double)
}
