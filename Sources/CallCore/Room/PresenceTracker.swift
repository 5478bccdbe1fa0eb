/// What we know of a room: who is there, whether we are, and which offers were made in it.
package struct PresenceTracker: Hashable, Sendable {
    /// A hostile server can fill no memory.
    package static let maximumParticipants = 256
    private static let maximumOffers = 64

    /// A participant, and the sockets that bear its name and role.
    ///
    /// One that comes back before its old socket has timed out is there twice, and the late leaving of the
    /// old one is none. Without any it was there before our own socket was replaced, and the server has not
    /// said so since.
    private struct Member: Hashable, Sendable {
        var participant: Participant
        var sockets: Int
        /// The sockets known before we rejoined on purpose: a server that tells newcomers nothing still has them.
        var kept = 0
    }

    /// Our own role.
    package let role: Role
    /// Our own name, under which a server may tell us of the leaving of a socket that we have lost.
    private let username: String?
    /// Whether our socket is up.
    package private(set) var isConnected = false
    /// Whether we are rejoining the room on purpose, and the server has not yet told who is there.
    package private(set) var isRejoining = false
    /// Whether our socket was ended by the server, or by what stands between: not where nothing came any more.
    package private(set) var isServerGone = false
    /// Whether the server has told who is in the room since our socket came up.
    package private(set) var isTold = false
    /// Whether the server tells newcomers nothing, and nobody has left since: somebody may be there.
    package private(set) var isSilent = false
    /// Whether the server tells newcomers nothing, whoever has left: it may have been an old socket of one who is
    /// there.
    private var isUntold = false
    /// Whether others may be on servers that ours does not reach.
    package private(set) var isPartial = false
    package private(set) var failure: SignalingFailure?
    package private(set) var iceServers: [ICEServer] = []
    /// The streams sent and recorded here, whether in a call or not.
    package var ownMedia = OwnMedia()

    private var members: [Member] = []
    /// Whether those may still be confirmed who were there before our socket was replaced.
    private var trustsUnconfirmed = true
    private var offers: [String] = []
    private var timers: [RoomTimer.Kind: Int] = [:]
    private var lastTimer = 0
    private var joinings = 0
    /// Whether our socket was lost in a silence that the server may have heard too: it may still hold old sockets of
    /// others who were cut off with us, and time them out one by one.
    private var expectsTimeouts = false
    /// Whose leaving was heard since.
    private var timedOut: Set<String> = []

    /// How long our socket may be gone while no media flows; nil for ever.
    package let signalingPatience: Duration?

    package init(role: Role, username: String? = nil, signalingPatience: Duration? = .seconds(60)) {
        self.role = role
        self.username = username
        self.signalingPatience = signalingPatience
    }

    /// What it means that the timer `signaling` has run out.
    package var lostFailure: SignalingFailure {
        .lost(seconds: (signalingPatience ?? .zero) / .seconds(1))
    }

    /// The first who may be called: of the opposite role, or of one that the server does not tell.
    package var peer: Participant? {
        members.lazy.filter { trustsUnconfirmed || $0.sockets > 0 }.map(\.participant).first {
            $0.role != role
        }
    }

    /// The first of them whom the server has told of since our socket came up, while it is up.
    package var reachablePeer: Participant? {
        guard isConnected else { return nil }
        return members.lazy.filter { $0.sockets > 0 }.map(\.participant).first { $0.role != role }
    }

    /// Somebody of our own role, who cannot be called.
    package var rival: Participant? {
        members.lazy.map(\.participant).first { $0.role == role }
    }

    /// Whether one whom nobody has told of may be there; where no leaving is trusted, whoever has left.
    package func mayHoldUntoldPeer(trustsNoLeaving: Bool) -> Bool {
        isSilent || trustsNoLeaving && isUntold
    }

    /// Whether it is known that no peer is there.
    package var isPeerAbsent: Bool { isTold && peer == nil }

    /// Takes in what happened and tells what it changed.
    package mutating func apply(_ event: RoomEvent) -> [PresenceChange] {
        switch event {
        case .joined:
            joinings += 1
            isConnected = true
            isServerGone = false
            isTold = false
            isSilent = false
            isUntold = false
            isPartial = false
            trustsUnconfirmed = true
            for index in members.indices {
                members[index].kept = isRejoining ? members[index].sockets : 0
                members[index].sockets = 0
            }
            return []
        case .rejoining:
            isConnected = false
            isServerGone = false
            isRejoining = true
            expectsTimeouts = false
            return []
        case .disconnected(_, _, let isSilent):
            isConnected = false
            isRejoining = false
            isServerGone = !isSilent
            expectsTimeouts = isSilent
            timedOut = []
            return []
        case .failed(let reason):
            isConnected = false
            isRejoining = false
            isServerGone = true
            failure = reason
            return []
        case .roomState(let participants, let isPartial):
            self.isPartial = isPartial
            // Who was told of before the first list, and is not on it, came while the list was on its way.
            let early = isTold ? [] : members.filter { $0.sockets > 0 }.map(\.participant)
            isTold = true
            isSilent = false
            isUntold = false
            isRejoining = false
            return replace(by: participants + early.filter { !participants.contains($0) })
        case .peerJoined(let participant):
            // A server that tells who is there does not tell of the leaving of a socket that it replaced.
            let isReplaced = isTold && members.contains { $0.participant == participant && $0.sockets > 0 }
            return isReplaced ? [.cameAgain(participant)] : [join(participant)].compactMap(\.self)
        case .peerLeft(let participant):
            let change = leave(participant)
            if case .left(let gone, _) = change, gone.role != role { isSilent = false }
            return [change].compactMap(\.self)
        case .iceServers(let servers):
            iceServers = servers
            return []
        case .roomSilent:
            isSilent = true
            isUntold = true
            isRejoining = false
            trustsUnconfirmed = false
            for index in members.indices {
                members[index].sockets += members[index].kept
                members[index].kept = 0
            }
            return []
        case .message, .offerReduced:
            return []
        }
    }
}

// MARK: - Presence

extension PresenceTracker {
    private mutating func join(_ participant: Participant) -> PresenceChange? {
        if let index = members.firstIndex(where: { $0.participant == participant }) {
            members[index].sockets = min(members[index].sockets + 1, Self.maximumParticipants)
            return .cameAgain(participant)
        }
        guard members.count < Self.maximumParticipants else { return nil }
        members.append(Member(participant: participant, sockets: 1))
        return .appeared(participant)
    }

    /// Counts one socket more, under which this participant was there before anybody told of it.
    mutating func countUntoldSocket(of participant: Participant) {
        _ = join(participant)
    }

    private mutating func leave(_ participant: Participant) -> PresenceChange? {
        let index = members.firstIndex { $0.participant == participant } ?? namesake(of: participant)
        guard let index else {
            if isOurOwn(participant) { return nil }
            return isPerhapsOld(participant) ? .leftPerhaps(participant) : .left(participant, wasTold: false)
        }
        if members[index].sockets <= 1 && isPerhapsOld(members[index].participant) {
            return .leftPerhaps(members[index].participant)
        }
        members[index].sockets -= 1
        guard members[index].sockets <= 0 else { return nil }
        return .left(members.remove(at: index).participant)
    }

    /// The leaving was the server's, which closed all sockets: the participant may come back with us.
    mutating func keep(_ participant: Participant) {
        guard !members.contains(where: { $0.participant == participant }),
            members.count < Self.maximumParticipants
        else { return }
        members.append(Member(participant: participant, sockets: 0))
    }

    /// The leaving was that of the participant itself.
    mutating func forget(_ participant: Participant) {
        members.removeAll { $0.participant == participant }
    }

    /// Whether it is a socket of ours that the server has found dead.
    private func isOurOwn(_ participant: Participant) -> Bool {
        participant.username == username && joinings > 1 && participant.role != role.opposite
    }

    /// Whether the socket may be one that was lost together with ours; each name has one such at most.
    private mutating func isPerhapsOld(_ participant: Participant) -> Bool {
        guard expectsTimeouts, !isTold, participant.role != role, timedOut.count < Self.maximumParticipants
        else { return false }
        return timedOut.insert(participant.username).inserted
    }

    /// Who speaks as `name`; where a message does not say, or says what the room does not know, the first who may.
    func sender(_ name: String?) -> Participant? {
        guard let name else { return peer }
        if let known = opposite(name) { return known }
        return isTold ? peer : Participant(username: name, role: role.opposite)
    }

    /// One who may be our peer and bears that name.
    func opposite(_ name: String) -> Participant? {
        members.lazy.map(\.participant).first { $0.username == name && $0.role != role }
    }

    /// Whether the server has said that this participant is there, and has not been out of reach since.
    func isReachable(_ name: String) -> Bool {
        isConnected && members.contains { $0.participant.username == name && $0.sockets > 0 }
    }

    /// Whether it is known that this one is not there.
    func isAbsent(_ name: String) -> Bool { isTold && opposite(name) == nil }

    /// Where one of both sides does not tell the role; one who may be our peer is meant first.
    private func namesake(of participant: Participant) -> Int? {
        let indices = members.indices.filter { members[$0].participant.username == participant.username }
        guard participant.role == nil else { return indices.first { members[$0].participant.role == nil } }
        return indices.first { members[$0].participant.role != role } ?? indices.first
    }

    private mutating func replace(by participants: [Participant]) -> [PresenceChange] {
        let before = members
        members = []
        for participant in participants { _ = join(participant) }
        let (old, new) = (Set(before.map(\.participant)), Set(members.map(\.participant)))
        return members.map(\.participant).filter { !old.contains($0) }.map { .appeared($0) }
            + before.map(\.participant).filter { !new.contains($0) }.map { .missing($0) }
    }
}

// MARK: - Offers and timers

extension PresenceTracker {
    /// Whether an offer of this `ice-ufrag` was seen, or made, before.
    func knows(offer id: String) -> Bool {
        offers.contains(id)
    }

    mutating func note(offer id: String) {
        guard !knows(offer: id) else { return }
        offers.append(id)
        if offers.count > Self.maximumOffers { offers.removeFirst() }
    }

    /// A timer that alone of its kind is in force from now on.
    package mutating func arm(_ kind: RoomTimer.Kind) -> RoomTimer {
        lastTimer += 1
        timers[kind] = lastTimer
        return RoomTimer(kind: kind, serial: lastTimer)
    }

    package mutating func disarm(_ kind: RoomTimer.Kind) {
        timers[kind] = nil
    }

    /// Forgets the timers of a call that is over: late ones would end the next, or the run.
    package mutating func disarmCall() {
        timers = timers.filter { !$0.key.isOfCall }
    }

    package func isArmed(_ timer: RoomTimer) -> Bool {
        timers[timer.kind] == timer.serial
    }
}
