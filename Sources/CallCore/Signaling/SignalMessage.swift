/// A message between two peers through the signaling server.
///
/// `offerID` is the `ice-ufrag` of the offer that it refers to; foreign peers omit it and mean the current
/// offer.
package enum SignalMessage: Hashable, Sendable {
    case offer(sdp: String)
    case answer(sdp: String, offerID: String?)
    case candidate(ICECandidate)
    case ringing(offerID: String?)
    case hangup(offerID: String?, reason: String?)
    /// The callee's side of that offer's connection is gone: the caller may make a new offer at once.
    case restart(offerID: String?)
    /// The sender's use of its media; `asks` requests the same of the other side.
    case mediaState(MediaState, offerID: String?, asks: Bool = false)
}
