package import CallCore
internal import Synchronization

// The sockets that the server knows, and its events about them.

extension Wire {
    /// The time that a server with `sendsRoomState` waits for a lost participant to reconnect.
    private static let grace = Duration.seconds(2)

    package func join(_ participant: Participant) -> WireEnd {
        let (events, inbox) = AsyncStream.makeStream(of: RoomEvent.self)
        let id = state.withLock { state in
            if sendsRoomState { dropDead(&state, namesakesOf: participant) }
            state.lastMember += 1
            state.members[state.lastMember] = Member(participant: participant, inbox: inbox)
            enter(&state, state.lastMember)
            return state.lastMember
        }
        return WireEnd(wire: self, id: id, events: events)
    }

    /// Disconnects the participants with this name, or all participants.
    ///
    /// The others are informed later: the server waits for `grace` after a closed socket, and longer to
    /// detect a silent loss. Without `sendsRoomState`, the server reports a closed socket at once.
    package func lose(_ username: String? = nil, isSilent: Bool = false) {
        for id in ids(username) { lose(id, isSilent: isSilent) }
    }

    /// Drops all messages to and from the participants with this name, or all participants, without notice.
    package func cutOff(_ username: String? = nil) {
        for id in ids(username) { state.withLock { $0.members[id]?.isCutOff = true } }
    }

    /// Reconnects the participants with this name, or all participants.
    package func recover(_ username: String? = nil) {
        for id in ids(username) { recover(id) }
    }

    /// Simulates a stop of the server: it loses its state and all sockets.
    package func loseAll() {
        state.withLock { $0.sockets = [:] }
        lose()
    }

    private func ids(_ username: String?) -> [Int] {
        state.withLock { state in
            state.members.filter { username == nil || $0.value.participant.username == username }.keys
                .sorted()
        }
    }

    /// Drops the dead sockets of former participants with the same name and role as a new participant.
    private func dropDead(_ state: inout State, namesakesOf participant: Participant) {
        let dead = state.sockets.filter { $0.value.participant == participant }
        for (id, socket) in dead where state.members[socket.owner] == nil { drop(&state, id) }
    }

    private func enter(_ state: inout State, _ id: Int) {
        guard var member = state.members[id] else { return }
        let isReturning = sendsRoomState && state.sockets.removeValue(forKey: member.socket) != nil
        let others = state.sockets.sorted { $0.key < $1.key }.map(\.value.participant)
        state.lastSocket += 1
        state.sockets[state.lastSocket] = Socket(owner: id, participant: member.participant)
        member.socket = state.lastSocket
        member.isUp = true
        member.isCutOff = false
        state.members[id] = member
        member.inbox.yield(.joined(url: "wire", transport: "memory"))
        if sendsRoomState {
            for other in others { member.inbox.yield(.peerJoined(other)) }
            member.inbox.yield(.roomState(others))
        } else {
            member.inbox.yield(.roomSilent)
        }
        if !isReturning || announcesReturns { emit(state, .peerJoined(member.participant), except: id) }
    }

    func leave(_ id: Int) {
        state.withLock { state in
            guard let member = state.members.removeValue(forKey: id) else { return }
            member.inbox.finish()
            // A member that is cut off cannot report its leave, so the server detects it later.
            if member.isReached {
                drop(&state, member.socket)
            } else if member.isUp {
                expectSilence(&state, member.socket)
            }
        }
    }

    func rejoin(_ id: Int) {
        state.withLock { state in
            // A member that is cut off joins again when it recovers.
            guard let member = state.members[id], member.isReached else { return }
            state.members[id]?.isUp = false
            member.inbox.yield(.rejoining)
            drop(&state, member.socket)
            enter(&state, id)
        }
    }

    func lose(_ id: Int, isSilent: Bool) {
        state.withLock { state in
            guard let member = state.members[id], member.isUp else { return }
            state.members[id]?.isUp = false
            let reason = isSilent ? "ping timeout" : "transport close"
            member.inbox.yield(.disconnected(reason: reason, retryIn: 1, isSilent: isSilent))
            if isSilent || member.isCutOff { return expectSilence(&state, member.socket) }
            guard sendsRoomState else { return drop(&state, member.socket) }
            late.continuation.yield((.loss(ofSocket: member.socket), after: Self.grace))
        }
    }

    /// Schedules the time at which the server detects, by a missing pong, that the socket is dead.
    private func expectSilence(_ state: inout State, _ socket: Int) {
        let delay = Duration.milliseconds(Int.random(in: 0...45_000, using: &state.generator))
        late.continuation.yield((.loss(ofSocket: socket), after: sendsRoomState ? delay + Self.grace : delay))
    }

    func recover(_ id: Int) {
        state.withLock { state in
            if state.members[id]?.isUp == false { enter(&state, id) }
        }
    }

    /// Removes a socket and reports the leave; a socket that has been replaced is ignored.
    func drop(_ state: inout State, _ id: Int) {
        guard let socket = state.sockets.removeValue(forKey: id) else { return }
        var gone = socket.participant
        if !sendsRoomState { gone.role = nil }
        emit(state, .peerLeft(gone))
    }

    private func emit(_ state: State, _ event: RoomEvent, except id: Int? = nil) {
        let others = state.members.filter { $0.key != id && $0.value.isReached }
        for (_, member) in others.sorted(by: { $0.key < $1.key }) { member.inbox.yield(event) }
    }

    func emit(_ event: RoomEvent, to id: Int) {
        state.withLock { _ = $0.members[id]?.inbox.yield(event) }
    }
}
