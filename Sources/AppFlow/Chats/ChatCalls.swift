package import Basics
internal import CallCore
internal import LiveCore
package import ChatCore

/// A call from a conversation that rings.
package struct ChatRing: Hashable, Sendable {
    package let person: ChatPerson
    package let room: Int

    package var name: String { person.name }

    package init(person: ChatPerson, room: Int) { (self.person, self.room) = (person, room) }
}

/// The reason why a call from a conversation did not take place.
package enum ChatCallFailure: Hashable, Sendable {
    /// The other person did not come within the time limit, or did not answer.
    case unanswered
    /// The other person has declined, or was in another call.
    case declined
    /// The caller has given up.
    case cancelled
    /// The server says that the other person cannot be called now.
    case unreachable
    /// Room or media could not be used.
    case failed
}

/// An event of the chat that concerns calls.
enum ChatCallEvent: Hashable, Sendable {
    /// The user wants to call a person.
    case wanted(ChatPerson)
    case rang(room: Int, from: ChatPerson)
    /// The person with this ID has given up or declined a call that was not answered.
    case hungUp(room: Int, from: Int)
    /// The server has refused a call.
    case refused
}

/// The calls from conversations, which connect the app's chat with its calls.
@MainActor package final class ChatCalls {
    private enum Input: Sendable {
        case chat(ChatCallEvent)
        case ended(VisitEnd)
        case answered(Bool)
        /// Nobody has answered a ring in time.
        case expired(ChatRing)
    }

    /// An own call, or one that the user has answered.
    private struct Current {
        let person: ChatPerson
        let visit: RoomVisit
        /// The reason for which it was cancelled without the user.
        var failure: ChatCallFailure?
    }

    /// The time for which a call rings.
    static let ringLimit = CallsFlow.visitLimit
    private static let rooms = 100_000...999_999

    /// The call that rings; nil if none does.
    package nonisolated let ring = StateStore<ChatRing?>(nil)
    private let calls: CallsFlow
    private let chats: ChatFlow
    private let notices: Notices
    private let clock: any Clock<Duration>
    private let missed: @Sendable (ChatPerson) -> Void
    private let show: @Sendable (ChatPerson) -> Void
    private let inputs = AsyncStream.makeStream(of: Input.self)
    private var current: Current?

    /// Creates the calls; `missed` counts a call that nobody has answered, `show` opens a conversation.
    nonisolated init(
        _ calls: CallsFlow,
        _ chats: ChatFlow,
        _ notices: Notices,
        clock: any Clock<Duration>,
        missed: @escaping @Sendable (ChatPerson) -> Void,
        show: @escaping @Sendable (ChatPerson) -> Void
    ) {
        (self.calls, self.chats, self.notices, self.clock) = (calls, chats, notices, clock)
        (self.missed, self.show) = (missed, show)
    }

    /// Answers or declines the call that rings.
    package nonisolated func answer(_ isAccepted: Bool) { inputs.continuation.yield(.answered(isAccepted)) }

    /// The state of microphone and camera, with which a call would be answered.
    package nonisolated var controls: CallControls { calls.controls.state }

    /// Mutes or unmutes, or switches the camera off or on, by its key.
    package nonisolated func press(_ key: Shortcut) {
        switch key {
        case .m: calls.controls.perform(.setMuted(!controls.isMuted))
        case .v: calls.controls.perform(.setCameraOff(!controls.isCameraOff))
        case .q, .escape, .plus, .minus, .p: break
        }
    }

    /// Connects both flows until `finish()` is called.
    func run() async {
        let input = inputs.continuation
        await withDiscardingTaskGroup { group in
            group.addTask { for await event in self.chats.calls.stream { input.yield(.chat(event)) } }
            group.addTask { for await end in self.calls.visitEnds.stream { input.yield(.ended(end)) } }
            group.addTask {
                await self.ring.states.forLatest { [clock = self.clock] ring in
                    guard let ring, (try? await clock.sleep(for: Self.ringLimit)) != nil else { return }
                    input.yield(.expired(ring))
                }
            }
            for await input in inputs.stream { handle(input) }
            group.cancelAll()
        }
    }

    func finish() {
        inputs.continuation.finish()
        ring.finish()
    }

    private func handle(_ input: Input) {
        switch input {
        case .chat(.wanted(let person)): call(person)
        case .chat(.rang(let room, let person)): rang(ChatRing(person: person, room: room))
        case .chat(.hungUp(let room, let peer)): hungUp(room, from: peer)
        case .chat(.refused): cancel(.unreachable)
        case .ended(let end): ended(end)
        case .answered(let isAccepted): answered(isAccepted)
        case .expired(let ring) where ring == self.ring.state: stopRinging(isMissed: true)
        case .expired: break
        }
    }

    // MARK: Own calls

    private func call(_ person: ChatPerson) {
        guard !isBusy, ring.state == nil else { return }
        let room = Int.random(in: Self.rooms)
        chats.send(.call(room: room), to: person.id)
        visit(room, with: person, as: .caller)
    }

    private func visit(_ number: Int, with person: ChatPerson, as role: Role) {
        guard let name = username, let room = try? RoomID(number) else { return }
        let visit = RoomVisit(
            identity: Identity(username: name, room: room),
            role: role,
            peer: person.name
        )
        current = Current(person: person, visit: visit)
        calls.router.send(.visit(visit))
    }

    /// The name as which the user calls, which is that in the list of people.
    private var username: Username? {
        let own = chats.model.store.state
        if case .user(let name)? = own.writer, let name = try? Username(name) { return name }
        return own.own.flatMap { try? Username("Guest \($0)") }
    }

    /// Whether there is a call, or one rings in the room.
    private var isBusy: Bool {
        if current != nil { return true }
        return switch calls.currentScreen {
        case .login: false
        case .room(let room): room.store.state.ring != nil
        case .call: true
        }
    }

    /// Ends the current call for a reason of the other side, unless media has flowed.
    private func cancel(_ failure: ChatCallFailure) {
        guard let current, current.failure == nil else { return }
        if case .call(let call) = calls.currentScreen, call.store.state.heldSince != nil { return }
        self.current?.failure = failure
        calls.cancelVisit(current.visit.identity.room)
    }

    private func ended(_ end: VisitEnd) {
        guard let current, current.visit == end.visit else { return }
        self.current = nil
        let failure = current.failure ?? ChatCallFailure(end.result)
        if let failure { notices.post(.chatCall(failure, current.person.name)) }
        if end.visit.role == .caller, let failure, !end.isCall {
            let result: PastCall.Result = failure == .declined ? .declined : .unanswered
            remember(current.person, end.visit.identity.room.value, result, isOutgoing: true)
        }
        // The other side still rings, or waits.
        if failure != nil, current.failure == nil {
            chats.send(.hangUp(room: current.visit.identity.room.value), to: current.person.id)
        }
        show(current.person)
    }

    // MARK: Calls of others

    private func rang(_ ring: ChatRing) {
        let isOther = self.ring.state.map { $0.person.id != ring.person.id } ?? false
        guard !isBusy, !isOther else {
            chats.send(.hangUp(room: ring.room), to: ring.person.id)
            remember(ring.person, ring.room, .missed, isOutgoing: false)
            return missed(ring.person)
        }
        self.ring.update { $0 = ring }
    }

    private func hungUp(_ room: Int, from peer: Int) {
        if let ring = ring.state, ring.room == room, ring.person.id == peer {
            return stopRinging(isMissed: true)
        }
        guard let current, current.visit.identity.room.value == room, current.person.id == peer else {
            return
        }
        cancel(current.visit.role == .caller ? .declined : .cancelled)
    }

    private func answered(_ isAccepted: Bool) {
        guard let ring = ring.state else { return }
        stopRinging(isMissed: false)
        if isAccepted, !isBusy { return visit(ring.room, with: ring.person, as: .callee) }
        chats.send(.hangUp(room: ring.room), to: ring.person.id)
        remember(ring.person, ring.room, .declined, isOutgoing: false)
    }

    private func stopRinging(isMissed: Bool) {
        if isMissed, let ring = ring.state {
            remember(ring.person, ring.room, .missed, isOutgoing: false)
            missed(ring.person)
        }
        ring.update { $0 = nil }
    }

    /// Saves a call that did not come into a room, where it would have been saved.
    private func remember(_ person: ChatPerson, _ room: Int, _ result: PastCall.Result, isOutgoing: Bool) {
        guard let room = try? RoomID(room) else { return }
        calls.remember(
            PastCall(peer: person.name, room: room, isOutgoing: isOutgoing, began: .now, result: result)
        )
    }
}

extension ChatCallFailure {
    /// Creates the reason why a visit led to no call; nil if media has flowed.
    init?(_ result: VisitEnd.Result) {
        switch result {
        case .cancelled: self = .cancelled
        case .lost(let loss):
            if case .failed(let diagnosis) = loss.reason, diagnosis.exit == .timedOut {
                self = .unanswered
            } else {
                self = .failed
            }
        case .called(let summary) where summary.wasHeld: return nil
        case .called(let summary):
            switch summary.end {
            case .hungUp(by: .us): self = .cancelled
            case .hungUp(by: .peer), .declined, .peerLeft: self = .declined
            case .timedOut(.answer), .timedOut(.peer), .timedOut(.offer): self = .unanswered
            case .timedOut(.description), .timedOut(.media), .duration, .sourceEnded, .media, .signaling:
                self = .failed
            }
        }
    }
}
