/// Why the room cannot be reached; each ends a run with exit code 4.
package enum SignalingFailure: Error, Hashable, Sendable {
    /// Nothing answered at `url` within the server timeout.
    case unreachable(url: String, detail: String)
    /// Something answered that does not speak Engine.IO 4 and Socket.IO 5.
    case notSocketIO(url: String, detail: String)
    /// CONNECT_ERROR: `room_full`.
    case roomFull
    /// CONNECT_ERROR: `role_taken`.
    case roleTaken
    /// CONNECT_ERROR for a missing or bad token.
    case unauthorized(String)
    /// HTTP status 401 or 403 before Socket.IO: the server, or a proxy before it, lets nobody connect in this way.
    case forbidden(String)
    /// Any other CONNECT_ERROR.
    case refused(String)
    /// An event above the size limit, or one that is no Socket.IO packet.
    case badEvent(String)
    /// The server takes no message as large as one of ours; says which, and its limit where that is known.
    case tooLarge(String)
    /// The connection was lost and did not come back within `seconds`.
    case lost(seconds: Double)
}
