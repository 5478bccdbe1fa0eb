/// An event in a room, from joining it to leaving it.
package enum RoomEvent: Hashable, Sendable {
    /// The socket is connected and the room joined; repeated after each reconnection.
    case joined(url: String, transport: String)
    /// The socket is lost; the service tries again after `retryIn` seconds, or not at all if that is nil.
    ///
    /// `isSilent` means that the server did not close the socket: nothing arrived any more, or our own
    /// address was removed. The network may then be at fault rather than the server.
    case disconnected(reason: String, retryIn: Double?, isSilent: Bool = false)
    /// We leave the room and join it again deliberately, so that the server informs the others.
    ///
    /// `.joined` follows, or `.disconnected` if the server cannot be reached.
    case rejoining
    /// The server reported the participants of the room.
    ///
    /// `isPartial` is true if there may be others on servers that this server cannot reach.
    case roomState([Participant], isPartial: Bool = false)
    /// The server sent no participant list within 500 ms of joining, so it is unknown who is already in the
    /// room.
    case roomSilent
    case peerJoined(Participant)
    /// A participant left; the role is nil if the server does not report it.
    case peerLeft(Participant)
    /// A message from a peer; `from` is the sender name, which only callrunner peers add.
    case message(SignalMessage, from: String? = nil)
    case iceServers([ICEServer])
    /// Our offer of `bytes` bytes exceeded the server's `limit` and was sent with fewer codecs.
    case offerReduced(bytes: Int, limit: Int)
    /// The room cannot be reached any more; this is the last event of the stream.
    case failed(SignalingFailure)
}
