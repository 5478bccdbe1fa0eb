import CallCore

/// A call state machine and the presence tracker of its room, with a log of all actions.
struct CallDriver {
    static let ann = Participant(username: "Ann", role: .caller)
    static let bob = Participant(username: "Bob", role: .callee)

    var course: CallStateMachine
    var room: PresenceTracker
    var log: [CallAction] = []

    /// Creates a call; if `opening` does not name the peer, the server sends no participant list.
    init(_ role: Role, _ opening: CallStart, _ change: (inout CallOptions) -> Void = { _ in }) {
        var options = CallOptions()
        options.leavesRoom = false
        change(&options)
        course = CallStateMachine(role: role, options: options)
        room = PresenceTracker(role: role)
        _ = room.apply(.joined(url: "u", transport: "t"))
        let isNamed =
            switch opening {
            case .dial, .incoming(_, from: .some), .unusable(_, from: .some): true
            case .dialBlindly, .incoming(_, from: nil), .unusable(_, from: nil): false
            }
        _ = room.apply(isNamed ? .peerJoined(role == .caller ? Self.bob : Self.ann) : .roomSilent)
        log = course.open(opening, &room)
    }

    static func sdp(_ ufrag: String, version: Int = 1) -> String {
        "v=0\no=- 1 \(version) IN IP4 0\na=ice-ufrag:\(ufrag)\n"
    }

    static func offer(_ ufrag: String) throws -> HeldOffer {
        HeldOffer(try SessionOffer(parsing: sdp(ufrag)))
    }

    static func callee(_ change: (inout CallOptions) -> Void = { _ in }) throws -> CallDriver {
        CallDriver(.callee, .incoming(try offer("one"), from: ann), change)
    }

    static func connectedCaller(
        _ opening: CallStart = .dial(bob),
        _ change: (inout CallOptions) -> Void = { _ in }
    ) -> CallDriver {
        var driver = CallDriver(.caller, opening, change)
        driver.attempt(.offering)
        driver.handle(.attempt(.sent(.offer, bytes: 1, offerID: "mine")))
        driver.attempt(.awaitingAnswer, .connecting, .connected)
        return driver
    }

    @discardableResult
    mutating func handle(_ input: RoomInput) -> [CallAction] {
        let actions = course.handle(input, &room)
        log += actions
        return actions
    }

    @discardableResult
    mutating func hear(_ event: RoomEvent) -> [CallAction] {
        let changes = room.apply(event)
        return handle(.room(event, changes))
    }

    /// Simulates a loss and a reconnection of the local socket.
    mutating func rejoin() {
        hear(.disconnected(reason: "transport close", retryIn: 1))
        hear(.joined(url: "u", transport: "t"))
    }

    mutating func attempt(_ states: AttemptStateMachine.State...) {
        for state in states { handle(.attempt(.state(state))) }
    }

    /// Simulates the leave of a participant, and the expiry of the timer that delays its effect.
    @discardableResult
    mutating func hearLeaving(of participant: Participant) -> [CallAction] {
        hear(.peerLeft(participant))
        guard let timer = timer(.leaving), room.isArmed(timer) else { return [] }
        return handle(.timer(timer))
    }

    /// Reports the end of the attempt, by default an end that the call requested.
    @discardableResult
    mutating func attemptEnds(
        _ end: AttemptEnd = .stopped,
        _ times: CallSetup = CallSetup()
    ) -> [CallAction] {
        handle(.attempt(.ended(end, times)))
    }

    /// Returns the timer of this kind that was started last.
    func timer(_ kind: RoomTimer.Kind) -> RoomTimer? {
        log.reversed().lazy.compactMap { action in
            if case .start(let timer, _) = action, timer.kind == kind { timer } else { nil }
        }.first
    }

    var summary: CallSummary? {
        log.lazy.compactMap { if case .report(.ended(let summary)) = $0 { summary } else { nil } }.first
    }

    var end: CallEnd? { summary?.end }

    /// The number of each attempt that began, followed by “blind” if the peer was unknown.
    var begun: [String] {
        log.compactMap { action in
            guard case .report(.started(_, let attempt, let isBlind)) = action else { return nil }
            return "\(attempt)\(isBlind ? " blind" : "")"
        }
    }

    /// The participant to which each attempt's offer is addressed; nil for an offer to the whole room.
    var addressees: [String?] {
        log.compactMap { action -> String?? in
            if case .begin(let machine, _) = action { .some(machine.addressee) } else { nil }
        }
    }

    var attempts: Int {
        log.count { if case .begin = $0 { true } else { false } }
    }

    var hangUps: Int {
        log.count { if case .send(.hangup) = $0 { true } else { false } }
    }
}
