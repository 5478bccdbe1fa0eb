import CallCore
import Testing

@Suite("Call waiting")
struct CallWaitingTests {
    /// The time without a call, and the room.
    private struct Stage {
        var waiting: CallWaiting
        var room: RoomKnowledge

        init(
            _ role: Role,
            isPrepared: Bool = false,
            trustsNoLeaving: Bool = false,
            isUnwanted: Bool = false
        ) {
            waiting = CallWaiting(
                role: role,
                trustsNoLeaving: trustsNoLeaving,
                isUnwanted: isUnwanted,
                isPrepared: isPrepared
            )
            room = RoomKnowledge(role: role)
        }

        @discardableResult
        mutating func hear(_ event: RoomEvent) -> CallWaiting.Decision? {
            let changes = room.apply(event)
            return waiting.handle(.room(event, changes), &room)
        }

        mutating func prepared() -> CallWaiting.Decision? { waiting.handle(.mediaPrepared(nil), &room) }
    }

    private static let joined = RoomEvent.joined(url: "u", transport: "t")
    private static let lost = RoomEvent.disconnected(reason: "transport close", retryIn: 1)

    @Test("A peer that may have left while our socket was gone is offered blindly, not dialled")
    func ghost() {
        var stage = Stage(.caller)
        for event in [Self.joined, .peerJoined(CourseStage.bob), Self.lost] { stage.hear(event) }
        #expect(stage.prepared() == nil)
        #expect(stage.hear(Self.joined) == nil)
        #expect(stage.hear(.roomSilent) == .open(.dialBlindly))
    }

    @Test("A peer that the server tells of again is dialled")
    func stillThere() {
        var stage = Stage(.caller)
        for event in [Self.joined, .peerJoined(CourseStage.bob), Self.lost] { stage.hear(event) }
        _ = stage.prepared()
        stage.hear(Self.joined)
        #expect(stage.hear(.roomState([CourseStage.bob])) == .open(.dial(CourseStage.bob)))
    }

    @Test("One who has left is offered to blindly where nobody tells, and only if leavings are not trusted")
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
        "A caller that repeats the offer of a call that is over is asked for another, or told that it is not wanted",
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

    @Test("What comes as an offer and is none opens a call that waits for another, once media is ready")
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

    @Test("Nothing is offered blindly while our socket is gone")
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

    @Test("An offer outlives the leaving of somebody of our own role")
    func rivalLeft() throws {
        var stage = Stage(.callee)
        stage.hear(Self.joined)
        stage.hear(.message(.offer(sdp: CourseStage.sdp("one"))))
        stage.hear(.peerLeft(Participant(username: "Dora", role: .callee)))
        #expect(stage.prepared() == .open(.incoming(try CourseStage.offer("one"), from: nil)))
    }
}
