import CallCore
import Testing

@Suite("Call trigger, which decides when a call begins")
struct CallTriggerTests {
    /// A call trigger and the presence tracker of its room.
    private struct TriggerDriver {
        var waiting: CallTrigger
        var room: PresenceTracker

        init(
            _ role: Role,
            isPrepared: Bool = false,
            trustsNoLeaving: Bool = false,
            isUnwanted: Bool = false,
            decliner: String? = nil,
            declined: String? = nil,
            isRejoining: Bool = false
        ) {
            waiting = CallTrigger(
                role: role,
                trustsNoLeaving: trustsNoLeaving,
                isUnwanted: isUnwanted,
                decliner: decliner,
                declined: declined,
                isRejoining: isRejoining,
                isPrepared: isPrepared,
                isSpent: decliner != nil
            )
            room = PresenceTracker(role: role)
        }

        @discardableResult
        mutating func hear(_ event: RoomEvent) -> CallTrigger.Decision? {
            let changes = room.apply(event)
            return waiting.handle(.room(event, changes), &room)
        }

        mutating func runOut(_ kind: RoomTimer.Kind) -> CallTrigger.Decision? {
            waiting.handle(.timer(room.arm(kind)), &room)
        }

        mutating func prepared() -> CallTrigger.Decision? { waiting.handle(.mediaPrepared(nil), &room) }
    }

    private static let joined = RoomEvent.joined(url: "u", transport: "t")
    private static let lost = RoomEvent.disconnected(reason: "transport close", retryIn: 1)

    @Test("After a reconnection without a participant list, an unknown peer is called")
    func ghost() {
        var driver = TriggerDriver(.caller)
        for event in [Self.joined, .peerJoined(CallDriver.bob), Self.lost] { driver.hear(event) }
        #expect(driver.prepared() == nil)
        #expect(driver.hear(Self.joined) == nil)
        #expect(driver.hear(.roomSilent) == .open(.dialBlindly))
    }

    @Test("After a reconnection, a peer that is still in the participant list is called")
    func stillThere() {
        var driver = TriggerDriver(.caller)
        for event in [Self.joined, .peerJoined(CallDriver.bob), Self.lost] { driver.hear(event) }
        _ = driver.prepared()
        driver.hear(Self.joined)
        #expect(driver.hear(.roomState([CallDriver.bob])) == .open(.dial(CallDriver.bob)))
    }

    @Test("After a leave, an unknown peer is called only if no list was sent and the leave may be outdated")
    func presenceUnknown() {
        for (event, trustsNoLeaving) in [
            (RoomEvent.roomSilent, true), (.roomSilent, false), (.roomState([]), true),
        ] {
            var driver = TriggerDriver(.caller, trustsNoLeaving: trustsNoLeaving)
            for event in [Self.joined, event, .peerJoined(CallDriver.bob), .peerLeft(CallDriver.bob)] {
                driver.hear(event)
            }
            let isBlind = event == .roomSilent && trustsNoLeaving
            #expect(driver.prepared() == (isBlind ? .open(.dialBlindly) : nil))
        }
    }

    @Test(
        "The reply to a repeated offer of an ended call is a restart request, or a hangup if we hung up",
        arguments: [false, true]
    )
    func repeated(isUnwanted: Bool) {
        let offer = RoomEvent.message(.offer(.init(CallDriver.sdp("one"))))
        var before = TriggerDriver(.callee)
        before.hear(Self.joined)
        #expect(before.waiting.replyToEndedCall(after: .room(offer, []), before.room) == nil)
        before.hear(offer)
        #expect(before.waiting.replyToEndedCall(after: .room(offer, []), before.room) == nil)
        var after = TriggerDriver(.callee, isUnwanted: isUnwanted)
        after.room = before.room
        let reply = after.waiting.replyToEndedCall(after: .room(offer, []), after.room)
        #expect(reply == (isUnwanted ? .hangup(offerID: "one", reason: nil) : .restart(offerID: "one")))
    }

    @Test("Once media is ready, an unusable offer opens a call that waits for another offer")
    func unusableOffer() {
        var driver = TriggerDriver(.callee)
        driver.hear(Self.joined)
        driver.hear(.peerJoined(CallDriver.ann))
        #expect(driver.hear(.message(.offer(.init("garbage")))) == nil)
        guard case .open(.unusable(.badDescription, from: CallDriver.ann)) = driver.prepared() else {
            Issue.record("opens no such call")
            return
        }
    }

    @Test("No call to an unknown peer begins while our socket is disconnected")
    func offline() {
        var driver = TriggerDriver(.caller)
        for event in [Self.joined, .roomSilent, Self.lost] { driver.hear(event) }
        #expect(driver.prepared() == nil)
    }

    @Test("An offer is not answered if its caller has left", arguments: [CallDriver.ann, nil])
    func callerLeft(named: Participant?) {
        var driver = TriggerDriver(.callee)
        driver.hear(Self.joined)
        driver.hear(named.map { .peerJoined($0) } ?? .roomSilent)
        driver.hear(.message(.offer(.init(CallDriver.sdp("one")))))
        driver.hear(.peerLeft(CallDriver.ann))
        #expect(driver.prepared() == nil)
    }

    @Test("An offer is still answered after a participant of our own role has left")
    func rivalLeft() throws {
        var driver = TriggerDriver(.callee)
        driver.hear(Self.joined)
        driver.hear(.message(.offer(.init(CallDriver.sdp("one")))))
        driver.hear(.peerLeft(Participant(username: "Dora", role: .callee)))
        #expect(driver.prepared() == .open(.incoming(try CallDriver.offer("one"), from: nil)))
    }

    /// Creates a caller that stays in the room, just after its call was declined.
    private static func declined(by name: String) -> TriggerDriver {
        var driver = TriggerDriver(.caller, isPrepared: true, decliner: name)
        driver.hear(joined)
        driver.hear(.peerJoined(CallDriver.bob))
        return driver
    }

    private static let bobLeft = RoomEvent.peerLeft(Participant(username: "Bob", role: nil))

    @Test(
        "A peer that declined and rejoins at once is not called again",
        arguments: ["Bob", ""]
    )
    func rejoinedDecliner(name: String) {
        var driver = Self.declined(by: name)
        #expect(driver.hear(Self.bobLeft) == nil)
        #expect(driver.hear(.peerJoined(CallDriver.bob)) == nil)
        #expect(driver.runOut(.declined) == nil)
        // A call that the user requests begins nevertheless.
        let decision = driver.waiting.handle(.command(.startCall), &driver.room)
        #expect(decision == .open(.dial(CallDriver.bob)))
    }

    @Test("A peer that declined is called again if it rejoins after a pause, or leaves later and rejoins")
    func returnedDecliner() {
        var driver = Self.declined(by: "Bob")
        driver.hear(Self.bobLeft)
        #expect(driver.runOut(.declined) == nil)
        #expect(driver.hear(.peerJoined(CallDriver.bob)) == .open(.dial(CallDriver.bob)))
        var later = Self.declined(by: "Bob")
        #expect(later.runOut(.declined) == nil)
        later.hear(Self.bobLeft)
        #expect(later.hear(.peerJoined(CallDriver.bob)) == .open(.dial(CallDriver.bob)))
    }

    @Test(
        "After we declined by rejoining the room, a repeated offer of the declined caller does not ring",
        arguments: [true, false],
        ["Ann", ""]
    )
    func declinedCaller(isRejoining: Bool, name: String) {
        var driver = TriggerDriver(.callee, isPrepared: true, declined: name, isRejoining: isRejoining)
        if !isRejoining { driver.hear(.rejoining) }
        driver.hear(Self.joined)
        driver.hear(.peerJoined(CallDriver.ann))
        #expect(driver.hear(Self.offer("two", from: "Ann")) == nil)
        #expect(driver.hear(Self.offer("three", from: nil)) == nil)
        // Later it is another call.
        #expect(driver.runOut(.declined) == nil)
        guard case .open(.incoming(_, from: CallDriver.ann)) = driver.hear(Self.offer("four", from: "Ann"))
        else {
            Issue.record("does not ring")
            return
        }
    }

    @Test(
        "The offer of a declined caller is answered if the user calls after all, unless that caller has left"
    )
    func regretted() {
        for hasLeft in [true, false] {
            var driver = TriggerDriver(.callee, isPrepared: true, declined: "Ann", isRejoining: true)
            driver.hear(Self.joined)
            driver.hear(.peerJoined(CallDriver.ann))
            #expect(driver.hear(Self.offer("two", from: "Ann")) == nil)
            #expect(driver.runOut(.declined) == nil)
            if hasLeft { driver.hear(.peerLeft(CallDriver.ann)) }
            let decision = driver.waiting.handle(.command(.startCall), &driver.room)
            guard case .open(.incoming(_, from: CallDriver.ann)) = decision else {
                #expect(hasLeft && decision == nil)
                continue
            }
            #expect(!hasLeft)
        }
    }

    @Test("A declined caller that received our decline rings again, as does any other caller")
    func otherCaller() {
        var told = TriggerDriver(.callee, isPrepared: true, declined: "Ann")
        told.hear(Self.joined)
        told.hear(.peerJoined(CallDriver.ann))
        #expect(told.hear(Self.offer("two", from: "Ann")) != nil)
        var other = TriggerDriver(.callee, isPrepared: true, declined: "Dora", isRejoining: true)
        other.hear(Self.joined)
        other.hear(.peerJoined(CallDriver.ann))
        #expect(other.hear(Self.offer("two", from: "Ann")) != nil)
    }

    private static func offer(_ text: String, from sender: String?) -> RoomEvent {
        .message(.offer(.init(CallDriver.sdp(text))), from: sender)
    }

    @Test("Another participant that joins after a decline is called")
    func anotherComes() {
        var driver = Self.declined(by: "Bob")
        driver.hear(Self.bobLeft)
        let carl = Participant(username: "Carl", role: .callee)
        #expect(driver.hear(.peerJoined(carl)) == .open(.dial(carl)))
    }

    @Test("After our own rejoin, a peer that declined is called only if the user requested it meanwhile")
    func ownRejoining() {
        for isAsked in [true, false] {
            var driver = Self.declined(by: "Bob")
            driver.hear(.rejoining)
            if isAsked { _ = driver.waiting.handle(.command(.startCall), &driver.room) }
            #expect(driver.hear(Self.joined) == nil)
            #expect(driver.hear(.roomSilent) == (isAsked ? .open(.dial(CallDriver.bob)) : nil))
        }
    }
}
