import CallCore
import Testing

/// The rules for a leave that is reported while media flows.
///
/// A server that shuts down reports that everybody left, and then closes our own socket.
@Suite("Call state machine, leaves while media flows")
struct CallStateMachineLeavingTests {
    private static let left = RoomEvent.peerLeft(Participant(username: "Bob", role: nil))
    private static let closings = [
        RoomEvent.disconnected(reason: "io server disconnect", retryIn: 2),
        .disconnected(reason: "transport error", retryIn: 0, isSilent: true),
    ]

    @Test("A leave ends the call half a second later")
    func held() throws {
        var stage = CourseStage.connectedCaller()
        #expect(!stage.hear(Self.left).contains(.tell(.stop)))
        let timer = try #require(stage.timer(.leaving))
        #expect(stage.log.contains(.start(timer, .milliseconds(500))))
        // A peer that comes back has left nevertheless.
        stage.hear(.peerJoined(CourseStage.bob))
        stage.handle(.timer(timer))
        stage.attemptEnds()
        #expect(stage.end == .peerLeft)
    }

    @Test(
        "A leave right before our own socket closes is the server's, and the call continues",
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
        // The next leave is the peer's own.
        #expect(stage.hearLeaving(of: CourseStage.bob).contains(.tell(.stop)))
    }

    @Test("A peer that is absent when the server is back has left once media stalls")
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

    @Test("A leave ends the call at once if media ends meanwhile or has not flowed yet")
    func noMedia() {
        var stalled = CourseStage.connectedCaller()
        stalled.hear(Self.left)
        stalled.attemptEnds(.stalled)
        #expect(stalled.end == .peerLeft)
        var early = CourseStage(.caller, .dial(CourseStage.bob))
        early.attempt(.offering, .awaitingAnswer)
        #expect(early.hear(Self.left).contains(.tell(.stop)))
    }

    @Test("A new offer of the peer after its leave begins the next call")
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
