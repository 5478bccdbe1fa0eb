/// The time in a room without a call: waits for a peer to call, or for an offer to answer.
///
/// A value like `CallStateMachine`. Inputs by origin: the room, the user, the media service (until it is
/// prepared nothing begins, but what comes is kept), the clock.
package struct CallTrigger: Hashable, Sendable {
    /// Whether the peer has just declined, and a leaving may be its rejoining alone.
    private enum Decline: Hashable, Sendable {
        case none, fresh
        /// It has left since.
        case left
    }

    package enum Decision: Hashable, Sendable {
        case open(CallStart)
        /// The callee's user wants the call, and waits for its peer's offer.
        case awaitOffer
        case leave
        /// The socket is gone, for the reason that it gives.
        case lost(String)
        case timedOut(CallEnd.Wait)
        /// The media service cannot be used at all.
        case mediaFailed(MediaFailure)
        case signalingFailed(SignalingFailure)
    }

    private let role: Role
    /// Whether a caller dials as soon as it can, without being told.
    private let dialsByItself: Bool
    /// Whether one who has left may be there all the same, where nobody tells, and is offered to blindly.
    private let trustsNoLeaving: Bool
    /// Whether the stay is over once the socket is gone.
    private let endsWhenLost: Bool
    /// Whether the last call was ended here, as it was wanted.
    private let isUnwanted: Bool
    private var decline: Decline
    /// The name of the peer that has just declined; empty where nobody told it.
    private let decliner: String
    package private(set) var isPrepared: Bool
    /// The user has asked for a call.
    private var isAsked = false
    /// This peer was called already: dial again only when it has left and returned.
    package private(set) var isSpent: Bool
    /// After which it is called again all the same, because media did not reach it.
    package private(set) var redial: Duration?
    private var held: HeldOffer?
    /// Why what came as an offer is none.
    private var badOffer: MediaFailure?

    /// `offer` came while the last call was ending.
    package init(
        role: Role,
        dialsByItself: Bool = true,
        trustsNoLeaving: Bool = false,
        endsWhenLost: Bool = false,
        isUnwanted: Bool = false,
        decliner: String? = nil,
        isPrepared: Bool = false,
        isSpent: Bool = false,
        redial: Duration? = nil,
        offer: HeldOffer? = nil
    ) {
        self.role = role
        self.dialsByItself = dialsByItself
        self.trustsNoLeaving = trustsNoLeaving
        self.endsWhenLost = endsWhenLost
        self.isUnwanted = isUnwanted
        decline = decliner == nil ? .none : .fresh
        self.decliner = decliner ?? ""
        self.isPrepared = isPrepared
        self.isSpent = isSpent
        self.redial = redial
        held = offer
    }

    /// What follows from what is known before anything more happens.
    package func begin(_ room: PresenceTracker) -> Decision? {
        if let failure = room.failure { return .signalingFailed(failure) }
        return opening(room).map { .open($0) }
    }

    package mutating func handle(_ input: RoomInput, _ room: inout PresenceTracker) -> Decision? {
        switch input {
        case .room(let event, let changes):
            for change in changes { handle(change, &room) }
            if let decision = handle(event, &room) { return decision }
        case .command(.leave): return .leave
        case .command(.startCall):
            switch role {
            case .caller:
                let mayBeThere = room.peer != nil || room.mayHoldUntoldPeer(trustsNoLeaving: false)
                isAsked = mayBeThere || room.isRejoining
            case .callee: if room.peer != nil && held == nil { return .awaitOffer }
            }
        case .command: break
        case .mediaPrepared(let failure):
            if let failure { return .mediaFailed(failure) }
            isPrepared = true
        case .timer(let timer):
            switch timer.kind {
            case .peer: return .timedOut(role == .callee && room.peer != nil ? .offer : .peer)
            case .signaling: return .signalingFailed(room.lostFailure)
            case .pause: (isSpent, redial) = (false, nil)
            case .declined:
                // It has stayed away: when it comes back, that is another visit.
                if decline == .left { isSpent = false }
                decline = .none
            case .ring, .retry, .duration, .hangUp, .doubt, .silence, .path, .leaving, .mediaState: break
            }
        case .attempt, .ownMedia: break
        }
        return opening(room).map { .open($0) }
    }

    /// What one is told who takes a call for going on that is over here.
    ///
    /// It has missed the hang-up, or is a caller whose peer was told of a leaving that was none.
    package func farewell(after input: RoomInput, _ room: PresenceTracker) -> SignalMessage? {
        guard case .room(.message(let message, _), _) = input else { return nil }
        switch (role, message) {
        case (.caller, .ringing(let id?)), (.caller, .answer(_, let id?)), (.caller, .restart(let id?)):
            return room.knows(offer: id) ? .hangup(offerID: id, reason: nil) : nil
        case (.callee, .offer(let sdp)):
            guard let id = (try? SessionOffer(parsing: sdp))?.id, room.knows(offer: id), id != held?.offer.id
            else { return nil }
            return isUnwanted ? .hangup(offerID: id, reason: nil) : .restart(offerID: id)
        case (.caller, _), (.callee, _): return nil
        }
    }

    private func opening(_ room: PresenceTracker) -> CallStart? {
        guard isPrepared else { return nil }
        switch role {
        case .callee:
            return held.map { .incoming($0, from: room.sender($0.sender)) }
                ?? badOffer.map { .unusable($0, from: room.peer) }
        case .caller:
            guard isAsked || dialsByItself && !isSpent else { return nil }
            if let peer = room.reachablePeer { return .dial(peer) }
            let mayBeThere = room.mayHoldUntoldPeer(trustsNoLeaving: trustsNoLeaving)
            return room.isConnected && mayBeThere ? .dialBlindly : nil
        }
    }

    private mutating func handle(_ change: PresenceChange, _ room: inout PresenceTracker) {
        switch change {
        case .leftPerhaps(let participant):
            // Without a call there is nothing that one who is believed gone could lose.
            room.forget(participant)
            goes(participant, room)
        case .left(let participant, _), .missing(let participant): goes(participant, room)
        case .appeared(let participant), .cameAgain(let participant):
            guard decline == .left, participant.role != role else { return }
            // Somebody else has not declined.
            let isDecliner = decliner.isEmpty || participant.username == decliner
            if isDecliner { decline = .fresh } else { (decline, isSpent) = (.none, false) }
        }
    }

    private mutating func goes(_ participant: Participant, _ room: PresenceTracker) {
        // Whoever offered has nothing left to connect to.
        let isSender = held?.sender.map { $0 == participant.username } ?? (room.peer == nil)
        if isSender && participant.role != role { held = nil }
        guard room.peer == nil else { return }
        isAsked = false
        if decline == .none { isSpent = false } else { decline = .left }
    }

    private mutating func handle(_ event: RoomEvent, _ room: inout PresenceTracker) -> Decision? {
        switch event {
        case .failed(let failure): return .signalingFailed(failure)
        case .message(.offer(let sdp), let sender): handle(offer: sdp, from: sender, &room)
        case .message(.candidate(let candidate), _): held?.hold(candidate)
        case .message(.hangup(let id, _), _): if id == nil || id == held?.offer.id { held = nil }
        case .disconnected(let reason, _, _): if endsWhenLost { return .lost(reason) }
        case .joined, .rejoining, .roomState, .roomSilent, .peerJoined, .peerLeft, .iceServers, .offerReduced,
            .message:
            break
        }
        return nil
    }

    private mutating func handle(offer sdp: String, from sender: String?, _ room: inout PresenceTracker) {
        guard role == .callee else { return }
        do {
            let offer = try SessionOffer(parsing: sdp)
            guard !room.knows(offer: offer.id) else { return }
            room.note(offer: offer.id)
            held = HeldOffer(offer, from: sender)
        } catch {
            badOffer = error
        }
    }
}
