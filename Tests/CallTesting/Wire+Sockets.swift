package import CallCore
internal import Synchronization

// The server's knowledge of connections, and its reports about them.

extension Wire {
    /// The time for which a server that sends newcomers a list waits for a lost socket to return.
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

    /// Loses the sockets of all participants with this name, or of all participants.
    ///
    /// The others are not informed at once: the server waits a while for a closed socket to return, and
    /// longer to find a silent one dead. A server that sends newcomers no list reports a close at once.
    package func lose(_ username: String? = nil, isSilent: Bool = false) {
        for id in ids(username) { lose(id, isSilent: isSilent) }
    }

    /// Silently cuts off the participants with this name, or all of them; neither side knows it yet.
    package func cutOff(_ username: String? = nil) {
        for id in ids(username) { state.withLock { $0.members[id]?.isCutOff = true } }
    }

    /// Reconnects the participants with this name, or all of them.
    package func recover(_ username: String? = nil) {
        for id in ids(username) { recover(id) }
    }

    /// Stops the server, which loses all its state and every socket.
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

    /// Drops the dead sockets of participants whose place a new one takes.
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
            // A member that is cut off cannot say so: the server finds out later.
            if member.isReached {
                drop(&state, member.socket)
            } else if member.isUp {
                expectSilence(&state, member.socket)
            }
        }
    }

    func rejoin(_ id: Int) {
        state.withLock { state in
            // A member that is cut off comes back in any case.
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

    /// Schedules the moment at which the server finds the socket dead, by a ping without a pong.
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
