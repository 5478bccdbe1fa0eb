import CallCore
import Testing

/// The rules for a leave that may be that of an already replaced socket.
///
/// Both sides were cut off from a server that does not tell newcomers who is there, and that finds the old
/// sockets dead one by one.
@Suite("Call state machine, doubtful leaves")
struct CallStateMachineDoubtTests {
    private static let bobLeft = RoomEvent.peerLeft(Participant(username: "Bob", role: nil))
    private static let silence = RoomEvent.disconnected(reason: "ping timeout", retryIn: 1, isSilent: true)

    /// Creates a caller in a connected call whose own socket was lost silently and has come back.
    private static func rejoined(_ opening: CallStart, heard events: [RoomEvent] = []) -> CourseStage {
        var stage = CourseStage.connectedCaller(opening)
        stage.hear(silence)
        stage.hear(.joined(url: "u", transport: "t"))
        stage.hear(.roomSilent)
        for event in events { stage.hear(event) }
        return stage
    }

    @Test(
        "A doubtful leave does not end a call with flowing media, the next leave does",
        arguments: [CallStart.dial(CourseStage.bob), .dialBlindly],
        [[], [RoomEvent.peerJoined(CourseStage.bob)]]
    )
    func late(opening: CallStart, events: [RoomEvent]) {
        var stage = Self.rejoined(opening, heard: events)
        stage.hear(Self.bobLeft)
        #expect(!stage.log.contains(.tell(.stop)))
        #expect(stage.hearLeaving(of: Participant(username: "Bob", role: nil)).contains(.tell(.stop)))
    }

    @Test("A doubtful leave ends the call only if media ends within ten seconds")
    func proved() throws {
        for isLater in [false, true] {
            var stage = Self.rejoined(.dial(CourseStage.bob))
            stage.hear(Self.bobLeft)
            if isLater { stage.handle(.timer(try #require(stage.timer(.doubt)))) }
            stage.attemptEnds(.stalled)
            #expect(stage.end == (isLater ? nil : .peerLeft))
        }
    }

    @Test("A peer that sends a message or joins again has not left")
    func disproved() {
        for sign in [RoomEvent.peerJoined(CourseStage.bob), .message(.ringing(offerID: "x"), from: "Bob")] {
            var stage = Self.rejoined(.dial(CourseStage.bob))
            stage.hear(Self.bobLeft)
            stage.hear(sign)
            stage.attemptEnds(.stalled)
            #expect(stage.end == nil)
        }
    }

    @Test("A doubtful leave ends a call without media at once")
    func mediaDown() {
        var stage = Self.rejoined(.dial(CourseStage.bob))
        stage.attemptEnds(.stalled)
        stage.hear(Self.bobLeft)
        #expect(stage.end == .peerLeft)
    }

    @Test("A leave is certain if the server closed our socket or reports who is there")
    func certain() {
        var ended = CourseStage.connectedCaller()
        ended.rejoin()
        ended.hear(.roomSilent)
        #expect(ended.hearLeaving(of: Participant(username: "Bob", role: nil)).contains(.tell(.stop)))

        var told = CourseStage.connectedCaller()
        told.hear(Self.silence)
        told.hear(.joined(url: "u", transport: "t"))
        told.hear(.roomState([CourseStage.bob]))
        #expect(told.hearLeaving(of: Participant(username: "Bob", role: nil)).contains(.tell(.stop)))
    }

    @Test("A late leave of our own old socket is ignored")
    func ownSocket() {
        var room = PresenceTracker(role: .caller, username: "Ann")
        let left = RoomEvent.peerLeft(Participant(username: "Ann", role: nil))
        _ = room.apply(.joined(url: "u", transport: "t"))
        #expect(room.apply(left).count == 1)
        _ = room.apply(.joined(url: "u", transport: "t"))
        #expect(room.apply(left).isEmpty)
        _ = room.apply(.peerJoined(Participant(username: "Ann", role: .callee)))
        #expect(room.apply(left).count == 1)
    }
}
