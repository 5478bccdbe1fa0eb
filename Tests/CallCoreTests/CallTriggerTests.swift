import CallCore
import Testing

@Suite("Call trigger")
struct CallTriggerTests {
    /// A trigger and its room.
    private struct Stage {
        var waiting: CallTrigger
        var room: PresenceTracker

        init(
            _ role: Role,
            isPrepared: Bool = false,
            trustsNoLeaving: Bool = false,
            isUnwanted: Bool = false,
            decliner: String? = nil
        ) {
            waiting = CallTrigger(
                role: role,
                trustsNoLeaving: trustsNoLeaving,
                isUnwanted: isUnwanted,
                decliner: decliner,
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

    @Test("A peer that may have left while our socket was down is called blindly")
    func ghost() {
        var stage = Stage(.caller)
        for event in [Self.joined, .peerJoined(CourseStage.bob), Self.lost] { stage.hear(event) }
        #expect(stage.prepared() == nil)
        #expect(stage.hear(Self.joined) == nil)
        #expect(stage.hear(.roomSilent) == .open(.dialBlindly))
    }

    @Test("A peer that the server reports again is called")
    func stillThere() {
        var stage = Stage(.caller)
        for event in [Self.joined, .peerJoined(CourseStage.bob), Self.lost] { stage.hear(event) }
        _ = stage.prepared()
        stage.hear(Self.joined)
        #expect(stage.hear(.roomState([CourseStage.bob])) == .open(.dial(CourseStage.bob)))
    }

    @Test("A peer that left is called blindly only in a silent room, and if leaves are not trusted")
    func untold() {
        for (event, trustsNoLeaving) in [
            (RoomEvent.roomSilent, true), (.roomSilent, false), (.roomState([]), true),
        ] {
            var stage = Stage(.caller, trustsNoLeaving: trustsNoLeaving)
            for event in [Self.joined, event, .peerJoined(CourseStage.bob), .peerLeft(CourseStage.bob)] {
                stage.hear(event)
            }
            let isBlind = event == .roomSilent && trustsNoLeaving
            #expect(stage.prepared() == (isBlind ? .open(.dialBlindly) : nil))
        }
    }

    @Test(
        "A repeated offer of a finished call is answered by a restart, or by a hangup if unwanted",
        arguments: [false, true]
    )
    func repeated(isUnwanted: Bool) {
        let offer = RoomEvent.message(.offer(sdp: CourseStage.sdp("one")))
        var before = Stage(.callee)
        before.hear(Self.joined)
        #expect(before.waiting.farewell(after: .room(offer, []), before.room) == nil)
        before.hear(offer)
        #expect(before.waiting.farewell(after: .room(offer, []), before.room) == nil)
        var after = Stage(.callee, isUnwanted: isUnwanted)
        after.room = before.room
        let farewell = after.waiting.farewell(after: .room(offer, []), after.room)
        #expect(farewell == (isUnwanted ? .hangup(offerID: "one", reason: nil) : .restart(offerID: "one")))
    }

    @Test("An unusable offer opens a call that waits for another one, once media is ready")
    func unusableOffer() {
        var stage = Stage(.callee)
        stage.hear(Self.joined)
        stage.hear(.peerJoined(CourseStage.ann))
        #expect(stage.hear(.message(.offer(sdp: "garbage"))) == nil)
        guard case .open(.unusable(.badDescription, from: CourseStage.ann)) = stage.prepared() else {
            Issue.record("opens no such call")
            return
        }
    }

    @Test("No blind offer is made while our socket is down")
    func offline() {
        var stage = Stage(.caller)
        for event in [Self.joined, .roomSilent, Self.lost] { stage.hear(event) }
        #expect(stage.prepared() == nil)
    }

    @Test("An offer whose caller has left is not answered", arguments: [CourseStage.ann, nil])
    func callerLeft(named: Participant?) {
        var stage = Stage(.callee)
        stage.hear(Self.joined)
        stage.hear(named.map { .peerJoined($0) } ?? .roomSilent)
        stage.hear(.message(.offer(sdp: CourseStage.sdp("one"))))
        stage.hear(.peerLeft(CourseStage.ann))
        #expect(stage.prepared() == nil)
    }

    @Test("An offer survives the leave of a participant of our own role")
    func rivalLeft() throws {
        var stage = Stage(.callee)
        stage.hear(Self.joined)
        stage.hear(.message(.offer(sdp: CourseStage.sdp("one"))))
        stage.hear(.peerLeft(Participant(username: "Dora", role: .callee)))
        #expect(stage.prepared() == .open(.incoming(try CourseStage.offer("one"), from: nil)))
    }

    /// Creates a caller that stays, just after its call was declined.
    private static func declined(by name: String) -> Stage {
        var stage = Stage(.caller, isPrepared: true, decliner: name)
        stage.hear(joined)
        stage.hear(.peerJoined(CourseStage.bob))
        return stage
    }

    private static let bobLeft = RoomEvent.peerLeft(Participant(username: "Bob", role: nil))

    @Test(
        "A peer that declined, and rejoins at once to say so, is not called again",
        arguments: ["Bob", ""]
    )
    func rejoinedDecliner(name: String) {
        var stage = Self.declined(by: name)
        #expect(stage.hear(Self.bobLeft) == nil)
        #expect(stage.hear(.peerJoined(CourseStage.bob)) == nil)
        #expect(stage.runOut(.declined) == nil)
        // The user wants it.
        let decision = stage.waiting.handle(.command(.startCall), &stage.room)
        #expect(decision == .open(.dial(CourseStage.bob)))
    }

    @Test("A peer that declined is called again after it stayed away, and after a later leave")
    func returnedDecliner() {
        var stage = Self.declined(by: "Bob")
        stage.hear(Self.bobLeft)
        #expect(stage.runOut(.declined) == nil)
        #expect(stage.hear(.peerJoined(CourseStage.bob)) == .open(.dial(CourseStage.bob)))
        var later = Self.declined(by: "Bob")
        #expect(later.runOut(.declined) == nil)
        later.hear(Self.bobLeft)
        #expect(later.hear(.peerJoined(CourseStage.bob)) == .open(.dial(CourseStage.bob)))
    }

    @Test("Another participant that joins after a decline is called")
    func anotherComes() {
        var stage = Self.declined(by: "Bob")
        stage.hear(Self.bobLeft)
        let carl = Participant(username: "Carl", role: .callee)
        #expect(stage.hear(.peerJoined(carl)) == .open(.dial(carl)))
    }

    @Test("Our own rejoin does not forget a decline, and a call requested meanwhile begins after it")
    func ownRejoining() {
        for isAsked in [true, false] {
            var stage = Self.declined(by: "Bob")
            stage.hear(.rejoining)
            if isAsked { _ = stage.waiting.handle(.command(.startCall), &stage.room) }
            #expect(stage.hear(Self.joined) == nil)
            #expect(stage.hear(.roomSilent) == (isAsked ? .open(.dial(CourseStage.bob)) : nil))
        }
    }
}
