package import CallCore
internal import Synchronization

/// A signaling server in memory: one room, joined by any number.
package final class Wire: SignalingService {
    /// What goes wrong between two ends, each with its probability from 0 to 1.
    package struct Faults: Sendable {
        package var loss = 0.0
        package var duplication = 0.0
        /// A message waits for the next one and arrives after it.
        package var reordering = 0.0
        /// A message comes up to eight seconds late, by `Wire.deliverLate(_:)`.
        package var lateness = 0.0
        package var seed: UInt64 = 0

        package init() {}
    }

    private struct Member {
        let participant: Participant
        let inbox: AsyncStream<RoomEvent>.Continuation
        var isUp = true
        var delayed: RoomEvent?
    }

    private struct State {
        var members: [Int: Member] = [:]
        var lastMember = 0
        var faults: Faults
        var generator: SeededGenerator
        var sent: [SignalMessage] = []
    }

    private let tellsNewcomers: Bool
    private let state: Mutex<State>
    private let late = AsyncStream.makeStream(of: (RoomEvent, to: Int, after: Duration).self)

    /// The seed's own server tells newcomers nothing.
    package init(faults: Faults = Faults(), tellsNewcomers: Bool = true) {
        self.tellsNewcomers = tellsNewcomers
        state = Mutex(State(faults: faults, generator: SeededGenerator(seed: faults.seed)))
    }

    /// Two ends of one wire, both in the room.
    package static func pair(
        faults: Faults = Faults(),
        tellsNewcomers: Bool = true
    ) -> (wire: Wire, caller: WireEnd, callee: WireEnd) {
        let wire = Wire(faults: faults, tellsNewcomers: tellsNewcomers)
        let callee = wire.join(Participant(username: "Bob", role: .callee))
        return (wire, wire.join(Participant(username: "Ann", role: .caller)), callee)
    }

    package func withRoom<Result: Sendable>(
        _ identity: Identity,
        role: Role,
        _ body: @Sendable (any SignalingChannel) async throws -> Result
    ) async throws -> Result {
        let end = join(Participant(username: identity.username.value, role: role))
        defer { end.leave() }
        return try await body(end)
    }

    /// Everything that was sent, in order.
    package var sent: [SignalMessage] { state.withLock { $0.sent } }
    package var participants: [Participant] {
        state.withLock { $0.members.sorted { $0.key < $1.key }.map(\.value.participant) }
    }

    /// From now on nothing is lost, doubled or late.
    package func heal() { state.withLock { $0.faults = Faults() } }

    /// Delivers what is late, each at its time, until cancelled.
    package func deliverLate(_ clock: any Clock<Duration>) async {
        await withDiscardingTaskGroup { group in
            for await (event, id, delay) in late.stream {
                group.addTask {
                    guard (try? await clock.sleep(for: delay)) != nil else { return }
                    self.tell(event, to: id)
                }
            }
        }
    }

    /// The server is gone: every socket is lost.
    package func loseAll() {
        for id in state.withLock({ $0.members.keys.sorted() }) { setUp(id, false) }
    }

    /// As if the server had said it to everybody.
    package func tellAll(_ event: RoomEvent) {
        for id in state.withLock({ $0.members.keys.sorted() }) { tell(event, to: id) }
    }

    package func join(_ participant: Participant) -> WireEnd {
        let (events, inbox) = AsyncStream.makeStream(of: RoomEvent.self)
        let id = state.withLock { state in
            state.lastMember += 1
            enter(&state, state.lastMember, Member(participant: participant, inbox: inbox))
            return state.lastMember
        }
        return WireEnd(wire: self, id: id, events: events)
    }

    private func enter(_ state: inout State, _ id: Int, _ member: Member) {
        member.inbox.yield(.joined(url: "wire", transport: "memory"))
        let others = state.members.sorted { $0.key < $1.key }.map(\.value)
        if tellsNewcomers {
            for other in others { member.inbox.yield(.peerJoined(other.participant)) }
            member.inbox.yield(.roomState(others.map(\.participant)))
        } else {
            member.inbox.yield(.roomSilent)
        }
        for other in others where other.isUp { other.inbox.yield(.peerJoined(member.participant)) }
        state.members[id] = member
    }

    fileprivate func send(_ message: SignalMessage, from sender: Int, to name: String?) {
        state.withLock { state in
            state.sent.append(message)
            guard let member = state.members[sender], member.isUp else { return }
            let event = RoomEvent.message(message, from: member.participant.username)
            for (id, other) in state.members.sorted(by: { $0.key < $1.key }) where id != sender {
                guard name == nil || name == other.participant.username else { continue }
                deliver(&state, event, to: id)
            }
        }
    }

    private func deliver(_ state: inout State, _ event: RoomEvent, to id: Int) {
        guard var member = state.members[id], member.isUp else { return }
        func happens(_ probability: Double) -> Bool {
            probability > 0 && Double.random(in: 0..<1, using: &state.generator) < probability
        }
        let faults = state.faults
        if happens(faults.loss) { return }
        if happens(faults.lateness) {
            let delay = Duration.milliseconds(Int.random(in: 1...8000, using: &state.generator))
            late.continuation.yield((event, to: id, after: delay))
            return
        }
        if member.delayed == nil && happens(faults.reordering) {
            member.delayed = event
        } else {
            member.inbox.yield(event)
            if happens(faults.duplication) { member.inbox.yield(event) }
            if let delayed = member.delayed {
                member.inbox.yield(delayed)
                member.delayed = nil
            }
        }
        state.members[id] = member
    }

    fileprivate func leave(_ id: Int) {
        state.withLock { state in
            guard let member = state.members.removeValue(forKey: id) else { return }
            member.inbox.finish()
            tellLeft(state, member.participant)
        }
    }

    fileprivate func rejoin(_ id: Int) {
        state.withLock { state in
            guard let member = state.members.removeValue(forKey: id) else { return }
            tellLeft(state, member.participant)
            enter(&state, id, member)
        }
    }

    private func tellLeft(_ state: State, _ participant: Participant) {
        for other in state.members.values where other.isUp { other.inbox.yield(.peerLeft(participant)) }
    }

    fileprivate func setUp(_ id: Int, _ isUp: Bool) {
        state.withLock { state in
            guard var member = state.members[id], member.isUp != isUp else { return }
            member.isUp = isUp
            if isUp {
                state.members[id] = nil
                enter(&state, id, member)
            } else {
                member.inbox.yield(.disconnected(reason: "transport close", retryIn: 1))
                state.members[id] = member
            }
        }
    }

    fileprivate func tell(_ event: RoomEvent, to id: Int) {
        state.withLock { _ = $0.members[id]?.inbox.yield(event) }
    }
}

/// One end of a wire, as the one who joined holds it.
package struct WireEnd: SignalingChannel {
    fileprivate let wire: Wire
    fileprivate let id: Int
    package let events: AsyncStream<RoomEvent>

    package func send(_ message: SignalMessage, to name: String?) async {
        wire.send(message, from: id, to: name)
    }
    package func probe() async {}
    package func rejoin() async { wire.rejoin(id) }

    package func leave() { wire.leave(id) }
    /// The socket is lost and nobody is told.
    package func lose() { wire.setUp(id, false) }
    package func recover() { wire.setUp(id, true) }
    /// As if the server had said it.
    package func hear(_ event: RoomEvent) { wire.tell(event, to: id) }
}
