/// What a media session reports while it lives.
package enum MediaEvent: Hashable, Sendable {
    case localCandidate(ICECandidate)
    case iceConnected
    /// No TURN server gave a relay, though some are named; why, in one sentence.
    case relaysFailed(String)
    /// The candidate pair in use; types as in RFC 8839 (`host`, `srflx`, `prflx`, `relay`).
    case iceSelected(local: String, remote: String, transport: String)
    /// ICE and DTLS are up and media may flow.
    case connected
    case firstPacket(MediaKind)
    /// The first whole remote frame: decoded where it is shown, depayloaded where it is not.
    case firstFrame(MediaKind)
    case statistics(CallStatistics)
    /// No packet at all where the peer may send: for five seconds, or for eight where no sound flowed.
    case stalled
    /// The local address of the candidate pair in use is none of this machine's any more.
    case addressLost(String)
    /// This machine has got a local address without which the connection, not made yet, was begun.
    case addressGained(String)
    /// What is sent has come to its end, and is not to begin again; its name.
    case sourceEnded(String)
    case failed(MediaFailure)
}
