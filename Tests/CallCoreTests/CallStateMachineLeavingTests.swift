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
        var driver = CallDriver.connectedCaller()
        #expect(!driver.hear(Self.left).contains(.forward(.stop)))
        let timer = try #require(driver.timer(.leaving))
        #expect(driver.log.contains(.start(timer, .milliseconds(500))))
        // A peer that comes back has left nevertheless.
        driver.hear(.peerJoined(CallDriver.bob))
        driver.handle(.timer(timer))
        driver.attemptEnds()
        #expect(driver.end == .peerLeft)
    }

    @Test(
        "A leave right before our own socket closes is the server's, and the call continues",
        arguments: closings
    )
    func server(closing: RoomEvent) throws {
        var driver = CallDriver.connectedCaller()
        driver.hear(Self.left)
        driver.hear(closing)
        let timer = try #require(driver.timer(.leaving))
        #expect(!driver.room.isArmed(timer))
        driver.hear(.joined(url: "u", transport: "t"))
        driver.hear(.roomState([CallDriver.bob]))
        #expect(driver.end == nil && !driver.log.contains(.forward(.stop)))
        // The next leave is the peer's own.
        #expect(driver.hearLeaving(of: CallDriver.bob).contains(.forward(.stop)))
    }

    @Test("A peer that is absent when the server is back has left once media stalls")
    func absent() {
        var driver = CallDriver.connectedCaller()
        driver.hear(Self.left)
        driver.hear(Self.closings[0])
        driver.hear(.joined(url: "u", transport: "t"))
        driver.hear(.roomState([]))
        #expect(driver.end == nil)
        driver.attemptEnds(.stalled)
        #expect(driver.end == .peerLeft)
    }

    @Test("A leave ends the call at once if media ends meanwhile or has not flowed yet")
    func noMedia() {
        var stalled = CallDriver.connectedCaller()
        stalled.hear(Self.left)
        stalled.attemptEnds(.stalled)
        #expect(stalled.end == .peerLeft)
        var early = CallDriver(.caller, .dial(CallDriver.bob))
        early.attempt(.offering, .awaitingAnswer)
        #expect(early.hear(Self.left).contains(.forward(.stop)))
    }

    @Test("A new offer of the peer after its leave begins the next call")
    func nextCall() throws {
        var driver = try CallDriver.callee()
        driver.attempt(.answering, .connecting, .connected)
        driver.hear(.peerLeft(CallDriver.ann))
        driver.hear(.peerJoined(CallDriver.ann))
        driver.hear(.message(.offer(sdp: CallDriver.sdp("two"))))
        if let timer = driver.timer(.leaving) { driver.handle(.timer(timer)) }
        driver.attemptEnds()
        #expect(driver.end == .peerLeft)
        #expect(driver.course.outcome?.nextOffer?.offer.id == "two")
    }
}
