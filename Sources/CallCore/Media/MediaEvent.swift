package import Basics

/// An event of a media session.
package enum MediaEvent: Hashable, Sendable {
    case localCandidate(ICECandidate)
    case iceConnected
    /// None of the configured TURN servers provided a relay; the value is the reason in one sentence.
    case relaysFailed(String)
    /// ICE has selected a candidate pair; `transport` is its protocol.
    ///
    /// `local` and `remote` are the types of its candidates (RFC 8839: `host`, `srflx`, `prflx` or `relay`).
    case iceSelected(local: String, remote: String, transport: String)
    /// ICE and DTLS are up and media may flow.
    case connected
    case firstPacket(MediaKind)
    /// The first complete frame from the peer: a video frame that is shown has been decoded, any other frame
    /// has only been depayloaded.
    case firstFrame(MediaKind)
    case statistics(CallStatistics)
    /// No packet of any protocol has arrived for five seconds, or for eight if no audio flowed.
    ///
    /// A peer that only receives counts as stalled only if it has sent a packet, such as a receiver report,
    /// before.
    case stalled
    /// The local address of the selected candidate pair was removed from this host.
    case addressLost(String)
    /// This host gained another IP address while the connection was being established.
    case addressGained(String)
    /// The media source with this name has ended and is not repeated.
    case sourceEnded(String)
    case failed(CallMediaFailure)
}
