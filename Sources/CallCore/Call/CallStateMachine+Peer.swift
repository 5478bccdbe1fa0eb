// The identity of the peer. A call has one peer: other participants neither take it over nor end it.

extension CallStateMachine {
    /// The time after a doubtful leave within which the end of media confirms it.
    ///
    /// A stall is noticed after five seconds.
    static let doubt = Duration.seconds(10)

    /// Whether a message from `sender` comes from a participant other than the peer.
    func isFromOtherPeer(_ sender: String?, _ room: PresenceTracker) -> Bool {
        if let sender, let peer, !isPeerGuessed, sender == peer.username { return false }
        if let peerSenderName = peerSenderName ?? answerSenderName { return (sender ?? "") != peerSenderName }
        // A server may report names in another form than the participants themselves use.
        guard let sender, peer != nil, !isPeerGuessed else { return false }
        return room.opposite(sender) != nil
    }

    /// Recognizes the peer for the rest of the call by the sender of its answer.
    mutating func recognize(_ room: inout PresenceTracker) {
        guard role == .caller else { return }
        peerSenderName = peerSenderName ?? answerSenderName
        nameByVoice(&room)
    }

    /// Recognizes the callee's peer by the sender of its offer.
    mutating func recognize(_ offer: HeldOffer, _ room: inout PresenceTracker) {
        guard peerSenderName == nil else { return }
        peerSenderName = offer.sender ?? ""
        nameByVoice(&room)
    }

    private mutating func nameByVoice(_ room: inout PresenceTracker) {
        guard let peerSenderName, !peerSenderName.isEmpty else { return }
        if peer == nil || isPeerGuessed { peer = room.sender(peerSenderName) ?? peer }
        isPeerGuessed = false
        // The server has not reported the socket that the peer sends through.
        guard !room.isTold, let peer, peer.username == peerSenderName, room.opposite(peerSenderName) == nil
        else { return }
        room.countUntoldSocket(of: peer)
    }

    /// The peer's name if the peer and the server agree on it, so that no other participant answers the offer.
    var addressee: String? {
        guard let peerSenderName, peerSenderName == peer?.username, !isPeerGuessed else { return nil }
        return peerSenderName
    }

    func isPeerAbsent(_ room: PresenceTracker) -> Bool {
        guard let peer, !isPeerGuessed else { return room.isPeerAbsent }
        return room.isAbsent(peer.username)
    }

    /// Whether a participant that left is the call's peer; if the peer is unknown, any participant may be.
    func isPeer(_ participant: Participant) -> Bool {
        guard participant.role != role else { return false }
        guard let peer else { return !isBlind }
        return participant.username == peer.username
    }

    /// Assumes that a newly arrived participant is the peer whose name was never reported.
    ///
    /// Its socket was replaced then, so the late leave of the old socket is ignored.
    mutating func name(_ participant: Participant, _ room: inout PresenceTracker) {
        guard peer == nil, isAnswered, !isEnding, participant.role != role else { return }
        peer = participant
        isPeerGuessed = true
        if isPeerSocketUntold { room.countUntoldSocket(of: participant) }
    }

    /// Handles a leave that may concern only an old socket of the peer; while media flows, the media decides.
    mutating func doubt(_ participant: Participant, _ room: inout PresenceTracker) {
        guard isMediaFlowing else {
            room.forget(participant)
            return peerWent(&room)
        }
        isLeavingDoubted = true
        actions.append(.start(room.arm(.doubt), Self.doubt))
    }

    /// Handles a leave of the peer; while media flows, it is believed only if our own socket survives it.
    mutating func peerLeaves(_ participant: Participant, _ room: inout PresenceTracker) {
        if peer == nil && !isEnding && !participant.username.isEmpty { peer = participant }
        guard isMediaFlowing else { return peerWent(&room) }
        guard !isLeavingHeld else { return }
        isLeavingHeld = true
        actions.append(.start(room.arm(.leaving), options.leavingPatience))
    }

    /// Discards a held-back leave if our own socket closes right after it: the server stopped, not the peer.
    mutating func forgetLeaving(_ room: inout PresenceTracker) {
        guard isLeavingHeld else { return }
        isLeavingHeld = false
        room.disarm(.leaving)
        if let peer { room.keep(peer) }
    }

    mutating func peerWent(_ room: inout PresenceTracker) {
        isLeavingHeld = false
        // An offer for the next call has no peer left to answer to.
        if isEnding { held = nil } else { end(.peerLeft, &room) }
    }

    /// Ends the call after a doubtful leave has been confirmed.
    mutating func leave(_ room: inout PresenceTracker) {
        if let peer { room.forget(peer) }
        end(.peerLeft, &room)
    }

    /// Handles an offer from another participant while our peer is not known to be in the room.
    ///
    /// The peer then left unnoticed, and the offer begins the next call.
    mutating func handle(offer sdp: String, fromOtherPeer sender: String?, _ room: inout PresenceTracker) {
        guard role == .callee, let offer = try? SessionOffer(parsing: sdp), !room.knows(offer: offer.id)
        else {
            return
        }
        switch phase {
        case .awaitingOffer:
            if let peer, room.isReachable(peer.username) { return }
            room.note(offer: offer.id)
            end(.peerLeft, &room)
            held = HeldOffer(offer, from: sender)
        case .leaving:
            room.note(offer: offer.id)
            held = HeldOffer(offer, from: sender)
            phase = .over
        case .asking, .attempting, .replacing, .backingOff, .awaitingPeer, .over: break
        }
    }
}
