// The identity of the peer. A call has one peer: other participants neither take it over nor end it.

extension CallStateMachine {
    /// The time within which a loss of media confirms an uncertain leave of the peer.
    ///
    /// It is longer than the time after which a media stall is detected, which is at most eight seconds.
    static let doubt = Duration.seconds(10)

    /// Whether a message from `sender` comes from a participant other than the peer.
    func isFromOtherPeer(_ sender: String?, _ room: PresenceTracker) -> Bool {
        if let sender, sender == peer.knownParticipant?.username { return false }
        if let peerSenderName = peerSenderName ?? answerSenderName { return (sender ?? "") != peerSenderName }
        // A server may report a name in another form than the participant itself uses in messages.
        guard let sender, peer.knownParticipant != nil else { return false }
        return room.opposite(sender) != nil
    }

    /// Identifies the peer for the rest of the call by the sender name of its answer.
    mutating func recognize(_ room: inout PresenceTracker) {
        guard role == .caller else { return }
        peerSenderName = peerSenderName ?? answerSenderName
        namePeerBySender(&room)
    }

    /// Identifies the callee's peer by the sender name of its offer.
    mutating func recognize(_ offer: HeldOffer, _ room: inout PresenceTracker) {
        guard peerSenderName == nil else { return }
        peerSenderName = offer.sender ?? ""
        namePeerBySender(&room)
    }

    private mutating func namePeerBySender(_ room: inout PresenceTracker) {
        guard let peerSenderName, !peerSenderName.isEmpty else { return }
        if peer.knownParticipant == nil {
            peer = CallPeer(room.sender(peerSenderName) ?? peer.participant)
        }
        // The server has not reported the socket that the peer sends through.
        guard !room.isPresenceReported, let peer = peer.participant, peer.username == peerSenderName,
            room.opposite(peerSenderName) == nil
        else { return }
        room.countUnreportedSocket(of: peer)
    }

    /// The name to which offers are addressed, so that no other participant answers them.
    ///
    /// It is nil unless the peer and the server use the same name for the peer.
    var addressee: String? {
        peerSenderName.flatMap { $0 == peer.knownParticipant?.username ? $0 : nil }
    }

    func isPeerAbsent(_ room: PresenceTracker) -> Bool {
        peer.knownParticipant.map { room.isAbsent($0.username) } ?? room.isPeerAbsent
    }

    /// Whether a participant that left is the call's peer or, if the peer is unknown, may be the peer.
    func isPeer(_ participant: Participant) -> Bool {
        guard participant.role != role else { return false }
        guard let peer = peer.participant else { return !isBlind }
        return participant.username == peer.username
    }

    /// Assumes that a newly arrived participant is the peer if the call is answered and its peer is unknown.
    ///
    /// Such a peer has replaced its socket. Unless we have rejoined the room during the call, a later leave of the old
    /// socket is ignored.
    mutating func name(_ participant: Participant, _ room: inout PresenceTracker) {
        guard peer == .unknown, isAnswered, !phase.isEnding, participant.role != role else { return }
        peer = .guessed(participant)
        if isPeerSocketUnreported { room.countUnreportedSocket(of: participant) }
    }

    /// Handles a reported leave that may refer to an old socket of the peer.
    ///
    /// While media flows, a loss of media must confirm the leave.
    mutating func doubt(_ participant: Participant, _ room: inout PresenceTracker) {
        guard isMediaFlowing else {
            room.forget(participant)
            return handlePeerDeparture(&room)
        }
        isLeavingDoubted = true
        actions.append(.start(room.arm(.doubt), Self.doubt))
    }

    /// Whether a reported leave of the peer has no effect yet, because media flows.
    var holdsLeave: Bool {
        if case .attempting(let attempt) = phase { attempt.holdsLeave } else { false }
    }

    /// Handles a leave of the peer; while media flows, the leave takes effect only if our own socket stays open for
    /// `leaveDelay` afterwards.
    mutating func handlePeerLeave(_ participant: Participant, _ room: inout PresenceTracker) {
        if peer == .unknown && !phase.isEnding && !participant.username.isEmpty { peer = .known(participant) }
        guard isMediaFlowing else { return handlePeerDeparture(&room) }
        guard !holdsLeave else { return }
        phase.attempt?.holdsLeave = true
        actions.append(.start(room.arm(.leaving), options.leaveDelay))
    }

    /// Discards a leave of the peer that was reported right before our socket closed: the server caused both.
    mutating func forgetLeaving(_ room: inout PresenceTracker) {
        guard holdsLeave else { return }
        phase.attempt?.holdsLeave = false
        room.disarm(.leaving)
        if let peer = peer.participant { room.keep(peer) }
    }

    mutating func handlePeerDeparture(_ room: inout PresenceTracker) {
        // The peer that sent the offer for the next call has left.
        if phase.isEnding { phase.offer = nil } else { end(.peerLeft, &room) }
    }

    /// Ends the call after an uncertain leave of the peer has been confirmed.
    mutating func leave(_ room: inout PresenceTracker) {
        if let peer = peer.participant { room.forget(peer) }
        end(.peerLeft, &room)
    }

    /// Handles an offer from a participant other than the peer.
    ///
    /// The offer begins the next call if this call waits for an offer of a peer that is unknown or cannot be
    /// reached, or only for the confirmation of our hangup.
    mutating func handle(
        offer signaled: SignaledDescription,
        fromOtherPeer sender: String?,
        _ room: inout PresenceTracker
    ) {
        guard role == .callee, let offer = try? SessionOffer(signaled), !room.knows(offer: offer.id)
        else {
            return
        }
        switch phase {
        case .awaitingOffer:
            if let peer = peer.participant, room.isReachable(peer.username) { return }
            room.note(offer: offer.id)
            end(.peerLeft, &room)
            phase.offer = HeldOffer(offer, from: sender)
        case .leaving(let summary, _):
            room.note(offer: offer.id)
            phase = .over(summary, next: HeldOffer(offer, from: sender))
        case .asking, .attempting, .replacing, .backingOff, .awaitingPeer, .over: break
        }
    }
}
