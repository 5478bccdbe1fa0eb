import CallCore
import Testing

/// The rules for a reported leave that may concern a socket that the peer has already replaced.
///
/// Both sides have reconnected to a server that sends no participant list and detects the dead sockets one
/// after the other.
@Suite("Call state machine, leaves that may be outdated")
struct CallStateMachineDoubtTests {
    private static let bobLeft = RoomEvent.peerLeft(Participant(username: "Bob", role: nil))
    private static let silence = RoomEvent.disconnected(reason: "ping timeout", retryIn: 1, isSilent: true)

    /// Creates a caller in a connected call whose own socket timed out and reconnected.
    private static func rejoined(_ opening: CallStart, heard events: [RoomEvent] = []) -> CallDriver {
        var driver = CallDriver.connectedCaller(opening)
        driver.hear(silence)
        driver.hear(.joined(url: "u", transport: "t"))
        driver.hear(.roomSilent)
        for event in events { driver.hear(event) }
        return driver
    }

    @Test(
        "A possibly outdated leave does not end a call with flowing media, but the next leave does",
        arguments: [CallStart.dial(CallDriver.bob), .dialBlindly],
        [[], [RoomEvent.peerJoined(CallDriver.bob)]]
    )
    func late(opening: CallStart, events: [RoomEvent]) {
        var driver = Self.rejoined(opening, heard: events)
        driver.hear(Self.bobLeft)
        #expect(!driver.log.contains(.forward(.stop)))
        #expect(driver.hearLeaving(of: Participant(username: "Bob", role: nil)).contains(.forward(.stop)))
    }

    @Test("A possibly outdated leave ends the call only if media stalls within ten seconds")
    func proved() throws {
        for isLater in [false, true] {
            var driver = Self.rejoined(.dial(CallDriver.bob))
            driver.hear(Self.bobLeft)
            if isLater { driver.handle(.timer(try #require(driver.timer(.doubt)))) }
            driver.attemptEnds(.stalled)
            #expect(driver.end == (isLater ? nil : .peerLeft))
        }
    }

    @Test("A possibly outdated leave is disregarded once the peer sends a message or joins again")
    func disproved() {
        for sign in [RoomEvent.peerJoined(CallDriver.bob), .message(.ringing(offerID: "x"), from: "Bob")] {
            var driver = Self.rejoined(.dial(CallDriver.bob))
            driver.hear(Self.bobLeft)
            driver.hear(sign)
            driver.attemptEnds(.stalled)
            #expect(driver.end == nil)
        }
    }

    @Test("A possibly outdated leave ends the call at once if media has already stalled")
    func mediaDown() {
        var driver = Self.rejoined(.dial(CallDriver.bob))
        driver.attemptEnds(.stalled)
        driver.hear(Self.bobLeft)
        #expect(driver.end == .peerLeft)
    }

    @Test("A peer's leaving ends the call if the server has closed our socket or sent a list of participants")
    func certain() {
        var ended = CallDriver.connectedCaller()
        ended.rejoin()
        ended.hear(.roomSilent)
        #expect(ended.hearLeaving(of: Participant(username: "Bob", role: nil)).contains(.forward(.stop)))

        var informed = CallDriver.connectedCaller()
        informed.hear(Self.silence)
        informed.hear(.joined(url: "u", transport: "t"))
        informed.hear(.roomState([CallDriver.bob]))
        #expect(informed.hearLeaving(of: Participant(username: "Bob", role: nil)).contains(.forward(.stop)))
    }

    @Test("A late leave of our own previous socket is ignored")
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
