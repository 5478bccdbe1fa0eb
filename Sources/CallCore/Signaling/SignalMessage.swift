/// What two peers say to each other through the signaling server.
///
/// `offerID` is the `ice-ufrag` of the offer that is meant; foreign peers leave it out, and the
/// current offer is meant then.
package enum SignalMessage: Hashable, Sendable {
    case offer(sdp: String)
    case answer(sdp: String, offerID: String?)
    case candidate(ICECandidate)
    case ringing(offerID: String?)
    case hangup(offerID: String?, reason: String?)
    /// The callee's side of that offer's connection is gone: the caller may offer anew without waiting.
    case restart(offerID: String?)
    /// The sender's use of its media; `asks` where it wants to know the same of the other side.
    case mediaState(MediaState, offerID: String?, asks: Bool = false)
}
