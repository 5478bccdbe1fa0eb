/// A message between two peers through the signaling server.
///
/// `offerID` is the `ice-ufrag` of the offer to which the message refers. Programs other than callrunner omit
/// it and refer to the current offer.
package enum SignalMessage: Hashable, Sendable {
    case offer(SignaledDescription)
    case answer(SignaledDescription, offerID: String?)
    case candidate(ICECandidate)
    case ringing(offerID: String?)
    case hangup(offerID: String?, reason: String?)
    /// The callee's peer connection for this offer has ended, so the caller may send a new offer immediately.
    case restart(offerID: String?)
    /// The media state of the sender; `asks` requests the state of the receiver in return.
    case mediaState(MediaState, offerID: String?, asks: Bool = false)
}
