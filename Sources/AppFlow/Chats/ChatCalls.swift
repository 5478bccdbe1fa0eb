package import Basics
internal import CallCore
internal import LiveCore
package import ChatCore

/// An incoming call from a conversation.
package struct ChatRing: Hashable, Sendable {
    package let person: ChatPerson
    package let room: Int

    package var name: String { person.name }

    package init(person: ChatPerson, room: Int) { (self.person, self.room) = (person, room) }
}

/// The reason why a call from a conversation did not take place.
package enum ChatCallFailure: Hashable, Sendable {
    /// The other person did not join within the time limit, or did not answer.
    case unanswered
    /// The other person declined the call, or was in another call.
    case declined
    /// The caller cancelled the call.
    case cancelled
    /// The server reports that the other person cannot be called now, or there is no connection to the server.
    case unreachable
    /// The server refused the call because the user had made too many calls.
    case tooFast
    /// The server refused the call because it was overloaded.
    case busy
    /// The room or the media could not be used.
    case failed
}

/// An event of the chat that concerns a call.
enum ChatCallEvent: Hashable, Sendable {
    /// The user wants to call a person.
    case wanted(ChatPerson)
    case rang(room: Int, from: ChatPerson)
    /// The person with this ID has cancelled or declined a call that had not been answered.
    case hungUp(room: Int, from: Int)
    /// Another device of the user has answered or declined a call of the person with this ID.
    case settled(room: Int, with: Int)
    /// The server has refused the call to a room; `room` is nil if the server does not name it.
    case refused(room: Int?, ChatError)
    /// The session of the chat has ended, because the user or the server has changed.
    case closed
}

/// The controller of calls from conversations, which connects the app's chat with its calls.
@MainActor package final class ChatCalls {
    private enum Input: Sendable {
        case chat(ChatCallEvent)
        case ended(VisitEnd)
        case answered(Bool)
        /// The user declines the ringing call and mutes the caller.
        case muted
        /// The ring with this number was not answered in time.
        case expired(Int)
        /// Another call is shown, or rings in the room.
        case callBegan
    }

    /// A call that the user has made or answered.
    private struct Current {
        let person: ChatPerson
        let visit: RoomVisit
        /// The reason why the call was cancelled by the other side or by the chat.
        var failure: ChatCallFailure?
        /// The call of the other person, if both persons call each other at the same time.
        var opposite: ChatRing?
        /// Whether the call is cancelled in favor of `opposite`.
        var givesWay = false
        /// Whether the chat session in which the call was made has ended.
        var isForeign = false
    }

    /// The time for which a call rings.
    nonisolated static let ringLimit = CallsFlow.visitLimit
    /// The room numbers of calls from conversations; the range is too large to guess a number while a call rings.
    static let rooms = (1 << 52)...ChatLimits.rooms.upperBound

    /// The ringing call; nil if no call rings.
    package nonisolated let ring = StateStore<ChatRing?>(nil)
    private let calls: CallsFlow
    private let chats: ChatFlow
    private let notices: Notices
    private let clock: any Clock<Duration>
    private let missed: @Sendable (ChatPerson) -> Void
    private let show: @Sendable (ChatPerson) -> Void
    private let inputs = AsyncStream.makeStream(of: Input.self)
    /// The number of the ring, unchanged if the same person calls again while it rings; nil if no call rings.
    private nonisolated let ringNumber = StateStore<Int?>(nil)
    private var lastRing = 0
    private var recent: RecentRings
    private var current: Current?

    /// Creates the controller; `missed` counts a missed call, and `show` opens a conversation.
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
        recent = RecentRings(clock: clock)
    }

    /// Answers or declines the ringing call.
    package nonisolated func answer(_ isAccepted: Bool) { inputs.continuation.yield(.answered(isAccepted)) }

    /// Declines the ringing call, and mutes the caller.
    package nonisolated func mute() { inputs.continuation.yield(.muted) }

    /// The state of microphone and camera with which a call would be answered.
    package nonisolated var controls: CallControls { calls.controls.state }

    /// Handles a key that mutes or unmutes the microphone, or switches the camera off or on.
    package nonisolated func press(_ key: Shortcut) {
        switch key {
        case .m: calls.controls.perform(.setMuted(!controls.isMuted))
        case .v: calls.controls.perform(.setCameraOff(!controls.isCameraOff))
        case .q, .escape, .plus, .minus, .p: break
        }
    }

    /// Connects the flows of chat and calls until `finish()` is called.
    func run() async {
        let input = inputs.continuation
        calls.visitEnded = { input.yield(.ended($0)) }
        await withDiscardingTaskGroup { group in
            group.addTask { for await event in self.chats.calls.stream { input.yield(.chat(event)) } }
            group.addTask {
                await self.ringNumber.states.forLatest { [clock = self.clock] number in
                    guard let number, (try? await clock.sleep(for: Self.ringLimit)) != nil else { return }
                    input.yield(.expired(number))
                }
            }
            group.addTask {
                await self.calls.screens.forLatest { screen in
                    switch screen {
                    case .login: break
                    case .room(let room):
                        for await state in room.store.states where state.ring != nil {
                            input.yield(.callBegan)
                        }
                    case .call: input.yield(.callBegan)
                    }
                }
            }
            for await input in inputs.stream { handle(input) }
            group.cancelAll()
        }
    }

    func finish() {
        inputs.continuation.finish()
        ring.finish()
        ringNumber.finish()
    }

    private func handle(_ input: Input) {
        switch input {
        case .chat(.wanted(let person)): call(person)
        case .chat(.rang(let room, let person)): rang(ChatRing(person: person, room: room))
        case .chat(.hungUp(let room, let peer)): hungUp(room, from: peer)
        case .chat(.settled(let room, let peer)):
            if let ring = ring.state, ring.room == room, ring.person.id == peer {
                stopRinging(isMissed: false)
            }
        case .chat(.refused(let room, let error)): refused(room, error)
        case .chat(.closed): closed()
        case .ended(let end): ended(end)
        case .answered(let isAccepted): answered(isAccepted)
        case .muted: muted()
        case .expired(let number) where number == ringNumber.state: stopRinging(isMissed: true)
        case .expired: break
        case .callBegan: callBegan()
        }
    }

    // MARK: Own calls

    private func call(_ person: ChatPerson) {
        guard !isBusy, ring.state == nil else { return }
        // Without a connection, the user would leave a room for a call that cannot be made.
        guard chats.isConnected else { return notices.post(.chatCall(.unreachable, person.name)) }
        let room = Int.random(in: Self.rooms)
        guard visit(room, with: person, as: .caller) else { return }
        recent.forgive(person.id)
        chats.send(.call(room: room), to: person.id)
    }

    /// Begins a call in a room; returns false if the user has no valid name.
    private func visit(_ number: Int, with person: ChatPerson, as role: Role) -> Bool {
        guard let name = username, let room = try? RoomID(number) else { return false }
        let visit = RoomVisit(
            identity: Identity(username: name, room: room),
            role: role,
            peer: person.name
        )
        current = Current(person: person, visit: visit)
        calls.begin(visit)
        return true
    }

    /// The user's name in the call: that in the list of people.
    private var username: Username? {
        let own = chats.model.store.state
        if case .user(let name)? = own.writer, let name = try? Username(name) { return name }
        return own.own.flatMap { try? Username(ChatPerson.guestName($0)) }
    }

    /// Whether a call is in progress, or rings in the room.
    private var isBusy: Bool {
        if case .room(let room) = calls.currentScreen, room.store.state.ring != nil { return true }
        return isInCall
    }

    private var isInCall: Bool {
        if case .call = calls.currentScreen { return true }
        return current != nil
    }

    /// Cancels the current call because of the other side or the chat, unless media has flowed.
    private func cancel(_ failure: ChatCallFailure) {
        guard let current, current.failure == nil else { return }
        if case .call(let call) = calls.currentScreen, call.store.state.heldSince != nil { return }
        self.current?.failure = failure
        calls.cancelVisit(current.visit.identity.room)
    }

    private func refused(_ room: Int?, _ error: ChatError) {
        guard let current, current.visit.role == .caller else { return }
        if room == nil || room == current.visit.identity.room.value { cancel(ChatCallFailure(error)) }
    }

    /// Ends all calls of a chat session that has ended.
    private func closed() {
        stopRinging(isMissed: false)
        recent = RecentRings(clock: clock)
        current?.isForeign = true
        cancel(.unreachable)
    }

    private func ended(_ end: VisitEnd) {
        guard let current, current.visit == end.visit else { return }
        self.current = nil
        if current.givesWay, !current.isForeign, let opposite = current.opposite {
            if !visit(opposite.room, with: opposite.person, as: .callee) { hangUp(opposite) }
            return
        }
        let failure = current.failure ?? ChatCallFailure(end.result, end.visit.role)
        if let failure { notices.post(.chatCall(failure, current.person.name)) }
        if end.visit.role == .caller, let failure, !end.isCall {
            let result: PastCall.Result = failure == .declined ? .declined : .unanswered
            remember(current.person, end.visit.identity.room.value, result, isOutgoing: true)
        } else if end.visit.role == .callee, failure != nil, !end.isCall {
            remember(current.person, end.visit.identity.room.value, .failed, isOutgoing: false)
        }
        guard !current.isForeign else { return }
        // The other side still rings, or waits.
        if failure != nil, current.failure == nil {
            chats.send(.hangUp(room: current.visit.identity.room.value), to: current.person.id)
        }
        // A refused call does not ring at the other side, so the call that the other side has made may ring here.
        if failure?.isRefusal == true, let opposite = current.opposite, !isMuted(opposite.person) {
            return rang(opposite)
        }
        show(current.person)
    }

    // MARK: Calls of others

    private func rang(_ ring: ChatRing) {
        // The caller chooses the room, which must not be one that other people can easily join.
        guard Self.rooms.contains(ring.room), !recent.isDeclined(ring.person.id) else { return }
        if meets(ring) { return }
        // Calls of muted people do not ring.
        guard !isMuted(ring.person) else { return }
        let isOther = self.ring.state.map { $0.person.id != ring.person.id } ?? false
        guard !isBusy, !isOther else { return miss(ring) }
        if self.ring.state == nil {
            lastRing += 1
            ringNumber.update { [lastRing] in $0 = lastRing }
        }
        self.ring.update { $0 = ring }
    }

    private func isMuted(_ person: ChatPerson) -> Bool { chats.store.state.muted.contains(person.id) }

    /// Handles an incoming call from the person whom the user is calling; returns false if `ring` is another call.
    ///
    /// Only the call made by the person with the lower ID takes place.
    private func meets(_ ring: ChatRing) -> Bool {
        guard let current, current.visit.role == .caller, current.person.id == ring.person.id,
            current.failure == nil, let own = chats.model.store.state.own
        else { return false }
        if case .call(let call) = calls.currentScreen, call.store.state.heldSince != nil { return false }
        self.current?.opposite = ring
        // Stops the ringing on the user's other devices.
        chats.send(.answer(room: ring.room), to: ring.person.id)
        guard ring.person.id < own, !current.givesWay else { return true }
        self.current?.givesWay = true
        calls.cancelVisit(current.visit.identity.room)
        return true
    }

    /// Rejects a call as busy and saves it as missed, at most once per person within `ringLimit`.
    private func miss(_ ring: ChatRing) {
        guard recent.tell(ring.person.id) else { return }
        hangUp(ring)
        remember(ring.person, ring.room, .missed, isOutgoing: false)
        missed(ring.person)
    }

    private func hangUp(_ ring: ChatRing) { chats.send(.hangUp(room: ring.room), to: ring.person.id) }

    /// Ends one of two competing calls.
    ///
    /// A call that begins to ring in the room is declined. If a call is shown, the ringing call from the chat is
    /// rejected.
    private func callBegan() {
        guard let ring = ring.state else { return }
        switch calls.currentScreen {
        case .login: break
        case .room(let room):
            guard let peer = room.store.state.ring else { return }
            room.send(.decline)
            calls.missed.continuation.yield(peer.peer)
        case .call:
            stopRinging(isMissed: false)
            miss(ring)
        }
    }

    private func muted() {
        guard let ring = ring.state else { return }
        chats.store.update { _ = $0.muted.insert(ring.person.id) }
        answered(false)
    }

    private func hungUp(_ room: Int, from peer: Int) {
        if let ring = ring.state, ring.room == room, ring.person.id == peer {
            return stopRinging(isMissed: true)
        }
        if current?.opposite?.room == room, current?.person.id == peer, current?.givesWay == false {
            self.current?.opposite = nil
        }
        guard let current, current.visit.identity.room.value == room, current.person.id == peer else {
            return
        }
        cancel(current.visit.role == .caller ? .declined : .cancelled)
    }

    private func answered(_ isAccepted: Bool) {
        guard let ring = ring.state else { return }
        stopRinging(isMissed: false)
        if isAccepted, !isInCall, visit(ring.room, with: ring.person, as: .callee) {
            return chats.send(.answer(room: ring.room), to: ring.person.id)
        }
        recent.decline(ring.person.id)
        hangUp(ring)
        remember(ring.person, ring.room, .declined, isOutgoing: false)
    }

    private func stopRinging(isMissed: Bool) {
        if isMissed, let ring = ring.state {
            remember(ring.person, ring.room, .missed, isOutgoing: false)
            missed(ring.person)
        }
        ringNumber.update { $0 = nil }
        ring.update { $0 = nil }
    }

    /// Saves a call that did not reach its room; all others are saved by `RoomController`.
    private func remember(_ person: ChatPerson, _ room: Int, _ result: PastCall.Result, isOutgoing: Bool) {
        guard let room = try? RoomID(room) else { return }
        calls.remember(
            PastCall(peer: person.name, room: room, isOutgoing: isOutgoing, began: .now, result: result)
        )
    }
}

extension ChatCallFailure {
    /// Creates the reason from the server's refusal of a call.
    init(_ error: ChatError) {
        switch error {
        case .refused("too_fast", _): self = .tooFast
        case .refused("busy", _): self = .busy
        default: self = .unreachable
        }
    }

    /// Whether the server refused the call, so that it did not ring at the other side.
    var isRefusal: Bool { [.unreachable, .tooFast, .busy].contains(self) }

    /// Creates the reason why no media flowed in the call of a visit; nil if media flowed.
    init?(_ result: VisitEnd.Result, _ role: Role) {
        self.init(result)
        // If the user is the callee and the caller does not join, the call has failed; it is not unanswered.
        if self == .unanswered, role == .callee { self = .failed }
    }

    private init?(_ result: VisitEnd.Result) {
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
