/// What happens in the room between joining and leaving it, in the order in which it was heard.
package enum RoomEvent: Hashable, Sendable {
    /// The socket is up and the room joined; again after each reconnection.
    case joined(url: String, transport: String)
    /// The socket is lost; the service tries again after `retryIn` seconds (nil: it does not).
    ///
    /// `isSilent` where nobody said that it ended: nothing came any more, or our own address went, and the
    /// network may be at fault rather than the server.
    case disconnected(reason: String, retryIn: Double?, isSilent: Bool = false)
    /// We leave the room and join it again on purpose, so that the server tells the others; `.joined` follows, or
    /// `.disconnected` where the server is not reached.
    case rejoining
    /// The server told who is in the room; `isPartial` where others may be on servers that it does not reach.
    case roomState([Participant], isPartial: Bool = false)
    /// The server told nothing within 500 ms of joining: presence of those already there is unknown.
    case roomSilent
    case peerJoined(Participant)
    /// The role is nil where the server does not tell it.
    case peerLeft(Participant)
    /// `from` is the name under which a peer of our own kind speaks; others do not say.
    case message(SignalMessage, from: String? = nil)
    case iceServers([ICEServer])
    /// Our offer of so many bytes was too large for the server, and went out with fewer codecs.
    case offerReduced(bytes: Int, limit: Int)
    /// The room is out of reach for good; the stream ends after this.
    case failed(SignalingFailure)
}
