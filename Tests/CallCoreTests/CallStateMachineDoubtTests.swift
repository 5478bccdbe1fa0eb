import CallCore
import Testing

/// Rules for a leaving that may be that of a socket already replaced: both sides were cut off from a server that tells
/// newcomers nothing, and that finds the old sockets dead one by one.
@Suite("Call course, a leaving in doubt")
struct CallStateMachineDoubtTests {
    private static let bobLeft = RoomEvent.peerLeft(Participant(username: "Bob", role: nil))
    private static let silence = RoomEvent.disconnected(reason: "ping timeout", retryIn: 1, isSilent: true)

    /// A caller whose own socket was lost in silence and is back, in a call in which media flows.
    private static func rejoined(_ opening: CallStart, heard events: [RoomEvent] = []) -> CourseStage {
        var stage = CourseStage.connectedCaller(opening)
        stage.hear(silence)
        stage.hear(.joined(url: "u", transport: "t"))
        stage.hear(.roomSilent)
        for event in events { stage.hear(event) }
        return stage
    }

    @Test(
        "It does not end a call in which media flows, and the next one does",
        arguments: [CallStart.dial(CourseStage.bob), .dialBlindly],
        [[], [RoomEvent.peerJoined(CourseStage.bob)]]
    )
    func late(opening: CallStart, events: [RoomEvent]) {
        var stage = Self.rejoined(opening, heard: events)
        stage.hear(Self.bobLeft)
        #expect(!stage.log.contains(.tell(.stop)))
        #expect(stage.hearLeaving(of: Participant(username: "Bob", role: nil)).contains(.tell(.stop)))
    }

    @Test("It ends the call when media ends within ten seconds, and is forgotten then")
    func proved() throws {
        for isLater in [false, true] {
            var stage = Self.rejoined(.dial(CourseStage.bob))
            stage.hear(Self.bobLeft)
            if isLater { stage.handle(.timer(try #require(stage.timer(.doubt)))) }
            stage.attemptEnds(.stalled)
            #expect(stage.end == (isLater ? nil : .peerLeft))
        }
    }

    @Test("A peer that speaks or comes again has not left")
    func disproved() {
        for sign in [RoomEvent.peerJoined(CourseStage.bob), .message(.ringing(offerID: "x"), from: "Bob")] {
            var stage = Self.rejoined(.dial(CourseStage.bob))
            stage.hear(Self.bobLeft)
            stage.hear(sign)
            stage.attemptEnds(.stalled)
            #expect(stage.end == nil)
        }
    }

    @Test("It ends a call in which media is down at once")
    func mediaDown() {
        var stage = Self.rejoined(.dial(CourseStage.bob))
        stage.attemptEnds(.stalled)
        stage.hear(Self.bobLeft)
        #expect(stage.end == .peerLeft)
    }

    @Test("Where the server ended our socket, or tells who is there, nothing is in doubt")
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

    @Test("The late leaving of our own old socket is nobody else's")
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
