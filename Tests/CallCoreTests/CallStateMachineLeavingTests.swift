import CallCore
import Testing

/// Rules for a leaving that is told while media flows: a server that stops tells of everybody's, and then closes our own
/// socket.
@Suite("Call course, a leaving while media flows")
struct CallStateMachineLeavingTests {
    private static let left = RoomEvent.peerLeft(Participant(username: "Bob", role: nil))
    private static let closings = [
        RoomEvent.disconnected(reason: "io server disconnect", retryIn: 2),
        .disconnected(reason: "transport error", retryIn: 0, isSilent: true),
    ]

    @Test("It ends the call half a second later")
    func held() throws {
        var stage = CourseStage.connectedCaller()
        #expect(!stage.hear(Self.left).contains(.tell(.stop)))
        let timer = try #require(stage.timer(.leaving))
        #expect(stage.log.contains(.start(timer, .milliseconds(500))))
        // Whoever comes back has left all the same.
        stage.hear(.peerJoined(CourseStage.bob))
        stage.handle(.timer(timer))
        stage.attemptEnds()
        #expect(stage.end == .peerLeft)
    }

    @Test(
        "Followed by the close of our own socket it is the server's, and the call goes on",
        arguments: closings
    )
    func server(closing: RoomEvent) throws {
        var stage = CourseStage.connectedCaller()
        stage.hear(Self.left)
        stage.hear(closing)
        let timer = try #require(stage.timer(.leaving))
        #expect(!stage.room.isArmed(timer))
        stage.hear(.joined(url: "u", transport: "t"))
        stage.hear(.roomState([CourseStage.bob]))
        #expect(stage.end == nil && !stage.log.contains(.tell(.stop)))
        // The next leaving is the peer's own.
        #expect(stage.hearLeaving(of: CourseStage.bob).contains(.tell(.stop)))
    }

    @Test("A peer that is not there when the server is back has left once media stalls")
    func absent() {
        var stage = CourseStage.connectedCaller()
        stage.hear(Self.left)
        stage.hear(Self.closings[0])
        stage.hear(.joined(url: "u", transport: "t"))
        stage.hear(.roomState([]))
        #expect(stage.end == nil)
        stage.attemptEnds(.stalled)
        #expect(stage.end == .peerLeft)
    }

    @Test("It ends the call at once where media ends meanwhile, and where none has flowed yet")
    func noMedia() {
        var stalled = CourseStage.connectedCaller()
        stalled.hear(Self.left)
        stalled.attemptEnds(.stalled)
        #expect(stalled.end == .peerLeft)
        var early = CourseStage(.caller, .dial(CourseStage.bob))
        early.attempt(.offering, .awaitingAnswer)
        #expect(early.hear(Self.left).contains(.tell(.stop)))
    }

    @Test("A new offer of the peer meanwhile is its next call")
    func nextCall() throws {
        var stage = try CourseStage.callee()
        stage.attempt(.answering, .connecting, .connected)
        stage.hear(.peerLeft(CourseStage.ann))
        stage.hear(.peerJoined(CourseStage.ann))
        stage.hear(.message(.offer(sdp: CourseStage.sdp("two"))))
        if let timer = stage.timer(.leaving) { stage.handle(.timer(timer)) }
        stage.attemptEnds()
        #expect(stage.end == .peerLeft)
        #expect(stage.course.outcome?.nextOffer?.offer.id == "two")
    }
}
