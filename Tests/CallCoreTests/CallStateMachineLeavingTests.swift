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
        // The leave ends the call even if the peer joins again in the meantime.
        driver.hear(.peerJoined(CallDriver.bob))
        driver.handle(.timer(timer))
        driver.attemptEnds()
        #expect(driver.end == .peerLeft)
    }

    @Test(
        "A leave reported right before our own socket closes does not end the call",
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
        // The next leave is caused by the peer itself.
        #expect(driver.hearLeaving(of: CallDriver.bob).contains(.forward(.stop)))
    }

    @Test("If the peer is absent after a restart of the server, a media stall ends the call")
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

    @Test("A leave ends the call at once if media stalls in the meantime or has not flowed yet")
    func noMedia() {
        var stalled = CallDriver.connectedCaller()
        stalled.hear(Self.left)
        stalled.attemptEnds(.stalled)
        #expect(stalled.end == .peerLeft)
        var early = CallDriver(.caller, .dial(CallDriver.bob))
        early.attempt(.offering, .awaitingAnswer)
        #expect(early.hear(Self.left).contains(.forward(.stop)))
    }

    @Test("A new offer from a peer that has left and rejoined begins the next call")
    func nextCall() throws {
        var driver = try CallDriver.callee()
        driver.attempt(.answering, .connecting, .connected)
        driver.hear(.peerLeft(CallDriver.ann))
        driver.hear(.peerJoined(CallDriver.ann))
        driver.hear(.message(.offer(.init(CallDriver.sdp("two")))))
        if let timer = driver.timer(.leaving) { driver.handle(.timer(timer)) }
        driver.attemptEnds()
        #expect(driver.end == .peerLeft)
        #expect(driver.course.outcome?.nextOffer?.offer.id == "two")
    }
}
