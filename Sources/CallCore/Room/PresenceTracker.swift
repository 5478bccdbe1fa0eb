/// The known state of a room: its participants, our own connection and the offers made in it.
package struct PresenceTracker: Hashable, Sendable {
    /// The maximum number of participants, so that a hostile server cannot exhaust the memory.
    package static let maximumParticipants = 256
    private static let maximumOffers = 64

    /// A participant and the number of its sockets, which all have its name and role.
    ///
    /// A participant that returns before its old socket has timed out has two sockets, so the late leave of
    /// the old one does not remove it. A participant without sockets was present before our own socket was
    /// replaced, and the server has not confirmed its presence since.
    private struct Member: Hashable, Sendable {
        var participant: Participant
        var sockets: Int
        /// The number of sockets before our deliberate rejoin, which is restored if the server sends no
        /// participant list.
        var kept = 0
    }

    /// Our own role.
    package let role: Role
    /// Our own name, which a server reports when an old socket of ours times out.
    private let username: String?
    /// Whether our socket is connected.
    package private(set) var isConnected = false
    /// Whether we are deliberately rejoining the room, and the server has not yet reported the participants.
    package private(set) var isRejoining = false
    /// Whether the server or an intermediary closed our socket, as opposed to a silent loss.
    private(set) var isServerGone = false
    /// Whether the server has reported who is in the room since our socket connected.
    package private(set) var isPresenceReported = false
    /// Whether a participant may be present that the server has not reported, as it sends no participant
    /// list.
    package private(set) var isSilent = false
    /// Whether the server sends newcomers no participant list; unlike `isSilent`, it is not reset by a leave.
    private var sendsNoRoomState = false
    /// Whether other participants may be on servers that ours does not reach.
    package private(set) var isPartial = false
    package private(set) var failure: SignalingFailure?
    package private(set) var iceServers: [ICEServer] = []
    /// The media that this side sends and records, also between calls.
    package var ownMedia = OwnMedia()

    private var members: [Member] = []
    /// Whether participants from before our last reconnection count as present although not yet confirmed.
    private var trustsUnconfirmed = true
    private var offers: [String] = []
    private var timers: [RoomTimer.Kind: Int] = [:]
    private var lastTimer = 0
    private var joinings = 0
    /// Whether old sockets of other participants, lost together with ours, may still time out at the server.
    ///
    /// This is possible after a silent loss of our socket, because its cause may have affected other sockets.
    private var expectsTimeouts = false
    /// The names of participants whose leave was reported while `expectsTimeouts` was set.
    private var timedOut: Set<String> = []

    /// The time for which our socket may be down while no media flows, or nil for no limit.
    package let signalingTimeout: Duration?

    package init(role: Role, username: String? = nil, signalingTimeout: Duration? = .seconds(60)) {
        self.role = role
        self.username = username
        self.signalingTimeout = signalingTimeout
    }

    /// The failure to report when the timer `signaling` has expired.
    var lostFailure: SignalingFailure {
        .lost(seconds: (signalingTimeout ?? .zero) / .seconds(1))
    }

    /// The first possible peer: a participant of the opposite or of an unknown role; nil if there is none.
    package var peer: Participant? {
        members.lazy.filter { trustsUnconfirmed || $0.sockets > 0 }.map(\.participant).first {
            $0.role != role
        }
    }

    /// The first possible peer that the server has reported since our socket connected; nil while the socket
    /// is down.
    package var reachablePeer: Participant? {
        guard isConnected else { return nil }
        return members.lazy.filter { $0.sockets > 0 }.map(\.participant).first { $0.role != role }
    }

    /// A participant of our own role, who cannot be called.
    package var rival: Participant? {
        members.lazy.map(\.participant).first { $0.role == role }
    }

    /// Whether a participant may be present that the server has not reported.
    ///
    /// If `trustsNoLeaving` is true, this remains possible after a leave was reported.
    package func mayHoldUnreportedPeer(trustsNoLeaving: Bool) -> Bool {
        isSilent || trustsNoLeaving && sendsNoRoomState
    }

    /// Whether it is known that no peer is in the room.
    package var isPeerAbsent: Bool { isPresenceReported && peer == nil }

    /// Applies an event and returns the presence changes that it caused.
    package mutating func apply(_ event: RoomEvent) -> [PresenceChange] {
        switch event {
        case .joined:
            joinings += 1
            isConnected = true
            isServerGone = false
            isPresenceReported = false
            isSilent = false
            sendsNoRoomState = false
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
            // Participants reported before the first list but missing from it joined while the list was in
            // transit.
            let early = isPresenceReported ? [] : members.filter { $0.sockets > 0 }.map(\.participant)
            isPresenceReported = true
            isSilent = false
            sendsNoRoomState = false
            isRejoining = false
            return replace(by: participants + early.filter { !participants.contains($0) })
        case .peerJoined(let participant):
            // A server that reports the participants does not report the leave of a socket that it replaced.
            let isReplaced =
                isPresenceReported && members.contains { $0.participant == participant && $0.sockets > 0 }
            return isReplaced ? [.reappeared(participant)] : [join(participant)].compactMap(\.self)
        case .peerLeft(let participant):
            let change = leave(participant)
            if case .left(let gone, _) = change, gone.role != role { isSilent = false }
            return [change].compactMap(\.self)
        case .iceServers(let servers):
            iceServers = servers
            return []
        case .roomSilent:
            isSilent = true
            sendsNoRoomState = true
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
            return .reappeared(participant)
        }
        guard members.count < Self.maximumParticipants else { return nil }
        members.append(Member(participant: participant, sockets: 1))
        return .appeared(participant)
    }

    /// Counts an additional socket, which the participant used before the server reported its presence.
    mutating func countUnreportedSocket(of participant: Participant) {
        _ = join(participant)
    }

    private mutating func leave(_ participant: Participant) -> PresenceChange? {
        let index = members.firstIndex { $0.participant == participant } ?? namesake(of: participant)
        guard let index else {
            if isOurOwn(participant) { return nil }
            return isPerhapsOld(participant)
                ? .leftPerhaps(participant) : .left(participant, wasReported: false)
        }
        if members[index].sockets <= 1 && isPerhapsOld(members[index].participant) {
            return .leftPerhaps(members[index].participant)
        }
        members[index].sockets -= 1
        guard members[index].sockets <= 0 else { return nil }
        return .left(members.remove(at: index).participant)
    }

    /// Restores a participant that left only because the server closed all sockets, and that may rejoin.
    mutating func keep(_ participant: Participant) {
        guard !members.contains(where: { $0.participant == participant }),
            members.count < Self.maximumParticipants
        else { return }
        members.append(Member(participant: participant, sockets: 0))
    }

    /// Removes a participant whose leave is certain.
    mutating func forget(_ participant: Participant) {
        members.removeAll { $0.participant == participant }
    }

    /// Whether a reported leave is that of an old socket of our own.
    private func isOurOwn(_ participant: Participant) -> Bool {
        participant.username == username && joinings > 1 && participant.role != role.opposite
    }

    /// Whether a reported leave may refer to a socket lost together with ours; true at most once per name.
    private mutating func isPerhapsOld(_ participant: Participant) -> Bool {
        guard expectsTimeouts, !isPresenceReported, participant.role != role,
            timedOut.count < Self.maximumParticipants
        else { return false }
        return timedOut.insert(participant.username).inserted
    }

    /// Returns the participant that uses `name` as its sender name.
    ///
    /// If `name` is nil, or missing from the server's list of participants, this is the first possible peer,
    /// or nil if there is none.
    func sender(_ name: String?) -> Participant? {
        guard let name else { return peer }
        if let known = opposite(name) { return known }
        return isPresenceReported ? peer : Participant(username: name, role: role.opposite)
    }

    /// Finds a possible peer with that name.
    func opposite(_ name: String) -> Participant? {
        members.lazy.map(\.participant).first { $0.username == name && $0.role != role }
    }

    /// Whether our socket is connected and the server has reported this participant since it connected.
    func isReachable(_ name: String) -> Bool {
        isConnected && members.contains { $0.participant.username == name && $0.sockets > 0 }
    }

    /// Whether it is known that this participant is not in the room.
    func isAbsent(_ name: String) -> Bool { isPresenceReported && opposite(name) == nil }

    /// Finds a member with the participant's name if one of the two has no role; a possible peer is
    /// preferred.
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
    /// Whether an offer with this `ice-ufrag` was seen or made before.
    func knows(offer id: String) -> Bool {
        offers.contains(id)
    }

    mutating func note(offer id: String) {
        guard !knows(offer: id) else { return }
        offers.append(id)
        if offers.count > Self.maximumOffers { offers.removeFirst() }
    }

    /// Creates a timer that replaces any other of its kind.
    package mutating func arm(_ kind: RoomTimer.Kind) -> RoomTimer {
        lastTimer += 1
        timers[kind] = lastTimer
        return RoomTimer(kind: kind, serial: lastTimer)
    }

    package mutating func disarm(_ kind: RoomTimer.Kind) {
        timers[kind] = nil
    }

    /// Disarms the timers of a call that is over; otherwise, they could end the next call or the whole run.
    package mutating func disarmCall() {
        timers = timers.filter { !$0.key.isOfCall }
    }

    package func isArmed(_ timer: RoomTimer) -> Bool {
        timers[timer.kind] == timer.serial
    }
}
