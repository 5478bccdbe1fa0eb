internal import Basics
package import CallCore
internal import Synchronization

/// An in-memory signaling server: one room for any number of participants.
package final class Wire: SignalingService {
    /// The faults of message delivery, each with its probability from 0 to 1.
    package struct Faults: Sendable {
        package var loss = 0.0
        package var duplication = 0.0
        /// The probability that a message arrives after the next one.
        package var reordering = 0.0
        /// The probability that a message is delayed by up to eight seconds; `Wire.deliverLate(_:)` delivers
        /// it.
        package var lateness = 0.0
        /// The probability that an offer or an answer arrives with an invalid session description.
        package var garbling = 0.0
        package var seed: UInt64 = 0

        package init() {}
    }

    struct Member {
        let participant: Participant
        let inbox: AsyncStream<RoomEvent>.Continuation
        var isUp = true
        /// Whether messages in both directions are dropped without the participant or the server noticing.
        var isCutOff = false
        /// The key of the server's socket for this member.
        var socket = 0
        var delayed: RoomEvent?

        var isReached: Bool { isUp && !isCutOff }
    }

    /// A connection that the server considers open; it may be dead.
    struct Socket {
        let owner: Int
        let participant: Participant
    }

    enum Late: Sendable {
        case event(RoomEvent, to: Int)
        case loss(ofSocket: Int)
    }

    struct State {
        var members: [Int: Member] = [:]
        var lastMember = 0
        var sockets: [Int: Socket] = [:]
        var lastSocket = 0
        var faults: Faults
        var generator: SeededGenerator
        var sent: [SignalMessage] = []
    }

    let sendsRoomState: Bool
    let announcesReturns: Bool
    let state: Mutex<State>
    let late = AsyncStream.makeStream(of: (Late, after: Duration).self)

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - faults: the faults of message delivery.
    ///   - sendsRoomState: whether a participant that joins receives a list of the participants; a server
    ///     without this list also treats returning participants as new ones.
    ///   - announcesReturns: whether the other participants are informed that a participant has reconnected.
    package init(faults: Faults = Faults(), sendsRoomState: Bool = true, announcesReturns: Bool = true) {
        self.sendsRoomState = sendsRoomState
        self.announcesReturns = announcesReturns || !sendsRoomState
        state = Mutex(State(faults: faults, generator: SeededGenerator(seed: faults.seed)))
    }

    /// Creates a server with a caller and a callee in its room.
    package static func pair(
        faults: Faults = Faults(),
        sendsRoomState: Bool = true
    ) -> (wire: Wire, caller: WireEnd, callee: WireEnd) {
        let wire = Wire(faults: faults, sendsRoomState: sendsRoomState)
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

    /// All messages sent, in order.
    package var sent: [SignalMessage] { state.withLock { $0.sent } }
    package var participants: [Participant] {
        state.withLock { $0.members.sorted { $0.key < $1.key }.map(\.value.participant) }
    }

    /// Ends all faults: later messages are not lost, duplicated, reordered, delayed or corrupted.
    package func heal() { state.withLock { $0.faults = Faults() } }

    /// Delivers late messages and drops dead sockets when they are due; runs until cancelled.
    package func deliverLate(_ clock: any Clock<Duration>) async {
        await withDiscardingTaskGroup { group in
            for await (what, delay) in late.stream {
                group.addTask {
                    guard (try? await clock.sleep(for: delay)) != nil else { return }
                    switch what {
                    case .event(let event, let id): self.emit(event, to: id)
                    case .loss(let socket): self.state.withLock { self.drop(&$0, socket) }
                    }
                }
            }
        }
    }

    /// Sends an event to all participants as if it came from the server.
    package func emitToAll(_ event: RoomEvent) {
        for id in state.withLock({ $0.members.keys.sorted() }) { emit(event, to: id) }
    }

    func send(_ message: SignalMessage, from sender: Int, to name: String?) {
        state.withLock { state in
            state.sent.append(message)
            guard let member = state.members[sender], member.isReached else { return }
            for (id, other) in state.members.sorted(by: { $0.key < $1.key }) where id != sender {
                guard name == nil || name == other.participant.username else { continue }
                let heard = state.happens(state.faults.garbling) ? message.garbled : message
                deliver(&state, .message(heard, from: member.participant.username), to: id)
            }
        }
    }

    private func deliver(_ state: inout State, _ event: RoomEvent, to id: Int) {
        guard var member = state.members[id], member.isReached else { return }
        let faults = state.faults
        if state.happens(faults.loss) { return }
        if state.happens(faults.lateness) {
            let delay = Duration.milliseconds(Int.random(in: 1...8000, using: &state.generator))
            late.continuation.yield((.event(event, to: id), after: delay))
            return
        }
        if member.delayed == nil && state.happens(faults.reordering) {
            member.delayed = event
        } else {
            member.inbox.yield(event)
            if state.happens(faults.duplication) { member.inbox.yield(event) }
            if let delayed = member.delayed {
                member.inbox.yield(delayed)
                member.delayed = nil
            }
        }
        state.members[id] = member
    }
}

extension Wire.State {
    mutating func happens(_ probability: Double) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &generator) < probability
    }
}

extension SignalMessage {
    /// The message with an invalid session description, if it is an offer or an answer.
    fileprivate var garbled: SignalMessage {
        switch self {
        case .offer: .offer(.init("nonsense"))
        case .answer(_, let id): .answer(.init("nonsense"), offerID: id)
        case .candidate, .ringing, .hangup, .restart, .mediaState: self
        }
    }
}
