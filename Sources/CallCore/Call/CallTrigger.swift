/// The state machine that decides when the next call in a room begins.
///
/// A caller waits until it can call a peer, and a callee waits for an offer. Like `CallStateMachine`, the
/// trigger is a value. Its inputs come from the room, the user, the media service and the clock. No call
/// begins before the media service is prepared, but an offer that arrives earlier is stored.
package struct CallTrigger: Hashable, Sendable {
    /// Whether the peer has declined the last call.
    ///
    /// A peer that declines may leave the room and immediately rejoin it, which must not lead to another call.
    private enum Decline: Hashable, Sendable {
        case none, fresh
        /// The peer has left since it declined.
        case left
    }

    /// A caller whose call the user has declined.
    ///
    /// If the caller does not support hangups, we notify it by leaving and rejoining the room; many callers then send a
    /// new offer immediately.
    private struct Unwanted: Hashable, Sendable {
        /// The name; empty if it is unknown.
        let name: String
        /// Whether we have left the room to notify the caller.
        var isToldByRejoining: Bool

        func includes(_ sender: String?) -> Bool {
            guard isToldByRejoining else { return false }
            return name.isEmpty || sender == nil || sender == name
        }
    }

    package enum Decision: Hashable, Sendable {
        case open(CallStart)
        /// The callee's user wants the call and waits for the peer's offer.
        case awaitOffer
        case leave
        /// The socket was lost for the given reason.
        case lost(String)
        case timedOut(CallEnd.Wait)
        /// The media service cannot be used at all.
        case mediaFailed(CallMediaFailure)
        case signalingFailed(SignalingFailure)
    }

    private let role: Role
    /// Whether a caller calls as soon as possible, without a command of the user.
    private let dialsAutomatically: Bool
    /// Whether to call without a known peer, even after a reported leave, if the server sends no participant
    /// list.
    private let trustsNoLeaving: Bool
    /// Whether the loss of the socket ends the session in the room.
    private let endsWhenLost: Bool
    /// Whether the last call was ended deliberately on this side.
    private let isUnwanted: Bool
    private var decline: Decline
    /// The name of the peer that declined the last call; empty if it is unknown or nobody declined.
    private let decliner: String
    /// The caller whose call the user has just declined.
    private var unwanted: Unwanted?
    /// The offer of the declined caller, which does not ring but is answered if the user starts a call after all.
    private var silenced: HeldOffer?
    package private(set) var isPrepared: Bool
    /// Whether the user has requested a call.
    private var isAsked = false
    /// Whether the peer in the room was called already; it is called again only after it has left and returned.
    package private(set) var isSpent: Bool
    /// The delay after which the peer is called again although `isSpent` is set, because the last call
    /// failed.
    package private(set) var redial: Duration?
    private var held: HeldOffer?
    /// The reason why a received offer is unusable.
    private var badOffer: CallMediaFailure?

    /// Creates a trigger.
    ///
    /// `offer` is an offer that arrived while the last call was ending. `declined` is the name of the caller whose call
    /// the user has declined, or empty if it is unknown; `isRejoining` is true if we rejoin the room to notify this
    /// caller.
    package init(
        role: Role,
        dialsAutomatically: Bool = true,
        trustsNoLeaving: Bool = false,
        endsWhenLost: Bool = false,
        isUnwanted: Bool = false,
        decliner: String? = nil,
        declined: String? = nil,
        isRejoining: Bool = false,
        isPrepared: Bool = false,
        isSpent: Bool = false,
        redial: Duration? = nil,
        offer: HeldOffer? = nil
    ) {
        self.role = role
        self.dialsAutomatically = dialsAutomatically
        self.trustsNoLeaving = trustsNoLeaving
        self.endsWhenLost = endsWhenLost
        self.isUnwanted = isUnwanted
        decline = decliner == nil ? .none : .fresh
        self.decliner = decliner ?? ""
        unwanted = declined.map { Unwanted(name: $0, isToldByRejoining: isRejoining) }
        self.isPrepared = isPrepared
        self.isSpent = isSpent
        self.redial = redial
        held = offer
    }

    /// Returns a decision if the known state of the room already requires one, before any input.
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
                let mayBeThere = room.peer != nil || room.mayHoldUnreportedPeer(trustsNoLeaving: false)
                isAsked = mayBeThere || room.isRejoining
            case .callee:
                if let silenced { (held, self.silenced) = (silenced, nil) }
                if room.peer != nil && held == nil { return .awaitOffer }
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
                // The peer has stayed away too long for a rejoin, so it may be called again when it comes
                // back.
                if decline == .left { isSpent = false }
                decline = .none
                unwanted = nil
            case .ring, .retry, .duration, .hangUp, .doubt, .silence, .path, .leaving, .mediaState: break
            }
        case .attempt, .ownMedia: break
        }
        return opening(room).map { .open($0) }
    }

    /// Creates the reply to a peer that continues a call which is over on this side; nil if no reply is
    /// due.
    ///
    /// Such a peer missed the hangup, or is a caller that the server wrongly reported as having left.
    package func replyToEndedCall(after input: RoomInput, _ room: PresenceTracker) -> SignalMessage? {
        guard case .room(.message(let message, _), _) = input else { return nil }
        switch (role, message) {
        case (.caller, .ringing(let id?)), (.caller, .answer(_, let id?)), (.caller, .restart(let id?)):
            return room.knows(offer: id) ? .hangup(offerID: id, reason: nil) : nil
        case (.callee, .offer(let offer)):
            guard let id = (try? SessionOffer(offer))?.id, room.knows(offer: id), id != held?.offer.id
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
            guard isAsked || dialsAutomatically && !isSpent else { return nil }
            if let peer = room.reachablePeer { return .dial(peer) }
            let mayBeThere = room.mayHoldUnreportedPeer(trustsNoLeaving: trustsNoLeaving)
            return room.isConnected && mayBeThere ? .dialBlindly : nil
        }
    }

    private mutating func handle(_ change: PresenceChange, _ room: inout PresenceTracker) {
        switch change {
        case .leftPerhaps(let participant):
            // No call is running that a wrongly reported leave could end.
            room.forget(participant)
            handleLeave(participant, room)
        case .left(let participant, _), .missing(let participant): handleLeave(participant, room)
        case .appeared(let participant), .reappeared(let participant):
            guard decline == .left, participant.role != role else { return }
            // A participant with another name is not the peer that declined.
            let isDecliner = decliner.isEmpty || participant.username == decliner
            if isDecliner { decline = .fresh } else { (decline, isSpent) = (.none, false) }
        }
    }

    private mutating func handleLeave(_ participant: Participant, _ room: PresenceTracker) {
        // The sender of the offer is gone, so there is nothing to connect to.
        let isSender = held?.sender.map { $0 == participant.username } ?? (room.peer == nil)
        if isSender && participant.role != role { (held, silenced) = (nil, nil) }
        guard room.peer == nil else { return }
        isAsked = false
        if decline == .none { isSpent = false } else { decline = .left }
    }

    private mutating func handle(_ event: RoomEvent, _ room: inout PresenceTracker) -> Decision? {
        switch event {
        case .failed(let failure): return .signalingFailed(failure)
        case .message(.offer(let offer), let sender): handle(offer: offer, from: sender, &room)
        case .message(.candidate(let candidate), _):
            held?.hold(candidate)
            silenced?.hold(candidate)
        case .message(.hangup(let id, _), _):
            if id == nil || id == held?.offer.id { held = nil }
            if id == nil || id == silenced?.offer.id { silenced = nil }
        case .disconnected(let reason, _, _): if endsWhenLost { return .lost(reason) }
        case .rejoining: unwanted?.isToldByRejoining = true
        case .joined, .roomState, .roomSilent, .peerJoined, .peerLeft, .iceServers, .offerReduced,
            .message:
            break
        }
        return nil
    }

    private mutating func handle(
        offer signaled: SignaledDescription,
        from sender: String?,
        _ room: inout PresenceTracker
    ) {
        guard role == .callee else { return }
        do {
            let offer = try SessionOffer(signaled)
            guard !room.knows(offer: offer.id) else { return }
            room.note(offer: offer.id)
            let offered = HeldOffer(offer, from: sender)
            if let unwanted, unwanted.includes(sender) { silenced = offered } else { held = offered }
        } catch {
            badOffer = error
        }
    }
}
