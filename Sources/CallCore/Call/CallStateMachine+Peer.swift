// Who the peer is. A call is with one: whoever else is in the room neither takes it over nor ends it.

extension CallStateMachine {
    /// How long after a leaving in doubt the end of media proves it: a stall is noticed after five seconds.
    static let doubt = Duration.seconds(10)

    /// Whether a message that `sender` says to be from is another's than the peer's.
    func isFromOtherPeer(_ sender: String?, _ room: PresenceTracker) -> Bool {
        if let sender, let peer, !isPeerGuessed, sender == peer.username { return false }
        if let voice = voice ?? speaker { return (sender ?? "") != voice }
        // A server may tell names in another form than their bearers.
        guard let sender, peer != nil, !isPeerGuessed else { return false }
        return room.opposite(sender) != nil
    }

    /// By its description the peer is known for the rest of the call.
    mutating func recognize(_ room: inout PresenceTracker) {
        guard role == .caller else { return }
        voice = voice ?? speaker
        nameByVoice(&room)
    }

    /// The callee knows its peer by the offer.
    mutating func recognize(_ offer: HeldOffer, _ room: inout PresenceTracker) {
        guard voice == nil else { return }
        voice = offer.sender ?? ""
        nameByVoice(&room)
    }

    private mutating func nameByVoice(_ room: inout PresenceTracker) {
        guard let voice, !voice.isEmpty else { return }
        if peer == nil || isPeerGuessed { peer = room.sender(voice) ?? peer }
        isPeerGuessed = false
        // Nobody has told of the socket under which it speaks.
        guard !room.isTold, let peer, peer.username == voice, room.opposite(voice) == nil else { return }
        room.countUntoldSocket(of: peer)
    }

    /// Whose name the peer and the room tell alike, so that nobody else takes an offer for theirs.
    var addressee: String? {
        guard let voice, voice == peer?.username, !isPeerGuessed else { return nil }
        return voice
    }

    func isPeerAbsent(_ room: PresenceTracker) -> Bool {
        guard let peer, !isPeerGuessed else { return room.isPeerAbsent }
        return room.isAbsent(peer.username)
    }

    /// Whether it is the call's peer who left; where its name was never told, any may be.
    func isPeer(_ participant: Participant) -> Bool {
        guard participant.role != role else { return false }
        guard let peer else { return !isBlind }
        return participant.username == peer.username
    }

    /// Takes one that comes for the peer whose name nobody told: its socket was replaced, and the old one's
    /// late leaving is none.
    mutating func name(_ participant: Participant, _ room: inout PresenceTracker) {
        guard peer == nil, isAnswered, !isEnding, participant.role != role else { return }
        peer = participant
        isPeerGuessed = true
        if isPeerSocketUntold { room.countUntoldSocket(of: participant) }
    }

    /// The peer or only a socket of its has gone: while media flows, it is asked.
    mutating func doubt(_ participant: Participant, _ room: inout PresenceTracker) {
        guard isMediaFlowing else {
            room.forget(participant)
            return peerWent(&room)
        }
        isLeavingDoubted = true
        actions.append(.start(room.arm(.doubt), Self.doubt))
    }

    /// The peer has left: while media flows that is believed once our own socket has outlived it for a moment.
    mutating func peerLeaves(_ participant: Participant, _ room: inout PresenceTracker) {
        if peer == nil && !isEnding && !participant.username.isEmpty { peer = participant }
        guard isMediaFlowing else { return peerWent(&room) }
        guard !isLeavingHeld else { return }
        isLeavingHeld = true
        actions.append(.start(room.arm(.leaving), options.leavingPatience))
    }

    /// Our own socket is closed right after the peer's leaving was told: it was the server that went.
    mutating func forgetLeaving(_ room: inout PresenceTracker) {
        guard isLeavingHeld else { return }
        isLeavingHeld = false
        room.disarm(.leaving)
        if let peer { room.keep(peer) }
    }

    mutating func peerWent(_ room: inout PresenceTracker) {
        isLeavingHeld = false
        // An offer for the next call has nobody left to be answered to.
        if isEnding { held = nil } else { end(.peerLeft, &room) }
    }

    /// What was in doubt is so.
    mutating func leave(_ room: inout PresenceTracker) {
        if let peer { room.forget(peer) }
        end(.peerLeft, &room)
    }

    /// Takes the call of another where our peer is not known to be there.
    ///
    /// The peer has then gone unheard, and the next call is this one's.
    mutating func handle(offer sdp: String, ofThird sender: String?, _ room: inout PresenceTracker) {
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
