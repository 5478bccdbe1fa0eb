/// An event of a media session.
package enum MediaEvent: Hashable, Sendable {
    case localCandidate(ICECandidate)
    case iceConnected
    /// None of the configured TURN servers provided a relay; the value is the reason in one sentence.
    case relaysFailed(String)
    /// The selected candidate pair; the types are those of RFC 8839 (`host`, `srflx`, `prflx`, `relay`).
    case iceSelected(local: String, remote: String, transport: String)
    /// ICE and DTLS are up and media may flow.
    case connected
    case firstPacket(MediaKind)
    /// The first complete remote frame: decoded if it is shown, else depayloaded.
    case firstFrame(MediaKind)
    case statistics(CallStatistics)
    /// No packet has arrived for five seconds (eight if no audio flowed) although the peer may send.
    case stalled
    /// The local address of the selected candidate pair was removed from this machine.
    case addressLost(String)
    /// This machine gained a local address that was missing when the unfinished connection began.
    case addressGained(String)
    /// The source with this name has ended and does not repeat.
    case sourceEnded(String)
    case failed(MediaFailure)
}
