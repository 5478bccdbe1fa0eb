import CallCore
import Testing

/// The rules for a server that sends newcomers no participant list.
@Suite("Call state machine, server without a participant list")
struct CallStateMachineSilentRoomTests {
    private static func blindlyOffering() -> CallDriver {
        var driver = CallDriver(.caller, .dialBlindly)
        driver.attempt(.offering, .awaitingAnswer)
        return driver
    }

    @Test("After a reconnection, an attempt with an unknown peer is repeated with the same attempt number")
    func blindAgain() {
        var driver = Self.blindlyOffering()
        driver.rejoin()
        #expect(driver.attempts == 1)
        #expect(driver.hear(.roomSilent) == [.forward(.stop)])
        driver.attemptEnds()
        #expect(driver.begun == ["1 blind", "1 blind"])
    }

    @Test("After a reconnection, an answered attempt with an unknown peer is not repeated")
    func answered() {
        var driver = Self.blindlyOffering()
        driver.attempt(.connecting)
        driver.rejoin()
        driver.hear(.roomSilent)
        #expect(!driver.log.contains(.forward(.stop)))
    }

    @Test("A peer that joins while an attempt with an unknown peer is ending is called in the next attempt")
    func cameMeanwhile() {
        var driver = Self.blindlyOffering()
        driver.rejoin()
        driver.hear(.roomSilent)
        driver.hear(.peerJoined(CallDriver.bob))
        driver.attemptEnds()
        #expect(driver.begun == ["1 blind", "1"])
    }

    @Test(
        "A peer without a name is named when it rejoins, and the leave of its old socket is ignored"
    )
    func lateLeft() throws {
        let callee = CallDriver(.callee, .incoming(try CallDriver.offer("one"), from: nil))
        for var driver in [CallDriver.connectedCaller(.dialBlindly), callee] {
            let peer = driver.course.role == .caller ? CallDriver.bob : CallDriver.ann
            if driver.course.role == .callee { driver.attempt(.answering, .connecting, .connected) }
            driver.hear(.peerJoined(peer))
            driver.hear(.peerLeft(Participant(username: peer.username, role: nil)))
            #expect(!driver.log.contains(.forward(.stop)))
            driver.hearLeaving(of: Participant(username: peer.username, role: nil))
            driver.attemptEnds()
            #expect(driver.end == .peerLeft)
        }
    }

    @Test("If a peer rejoins after our own reconnection, its next leave ends the call")
    func bothRejoined() {
        var driver = CallDriver.connectedCaller(.dialBlindly)
        driver.rejoin()
        driver.hear(.roomSilent)
        driver.hear(.peerJoined(CallDriver.bob))
        #expect(driver.hearLeaving(of: Participant(username: "Bob", role: nil)).contains(.forward(.stop)))
    }

    @Test("A participant that joins with our own role is not mistaken for the unnamed peer")
    func rival() {
        var driver = CallDriver.connectedCaller(.dialBlindly)
        driver.hear(.peerJoined(Participant(username: "Carl", role: .caller)))
        #expect(driver.hearLeaving(of: CallDriver.bob).contains(.forward(.stop)))
    }

    private static func names(_ actions: [CallAction]) -> [String] {
        actions.compactMap { if case .report(.peer(let name)) = $0 { name } else { nil } }
    }

    @Test("The name of an unknown peer is taken from its answer and reported once")
    func nameByAnswer() {
        var driver = Self.blindlyOffering()
        driver.handle(.attempt(.sent(.offer, bytes: 1, offerID: "mine")))
        driver.hear(.message(.answer(.init(CallDriver.sdp("theirs")), offerID: "mine"), from: "Bob"))
        driver.attempt(.connecting, .connected)
        #expect(Self.names(driver.log) == ["Bob"])
    }

    @Test("The name of a peer that sends none is taken from the server's report of its next join or leave")
    func nameByServer() {
        for joinsAgain in [true, false] {
            var driver = CallDriver.connectedCaller(.dialBlindly)
            #expect(Self.names(driver.log) == [])
            if joinsAgain { driver.hear(.peerJoined(CallDriver.bob)) }
            #expect(Self.names(driver.log) == (joinsAgain ? ["Bob"] : []))
            driver.hear(.peerLeft(Participant(username: "Bob", role: nil)))
            #expect(Self.names(driver.log) == ["Bob"])
        }
    }

    @Test("An unknown peer that declines is named in the summary of the declined call")
    func blindlyDeclined() {
        var driver = Self.blindlyOffering()
        driver.handle(.attempt(.sent(.offer, bytes: 1, offerID: "mine")))
        driver.hear(.message(.hangup(offerID: "mine", reason: "declined"), from: "Bob"))
        driver.attemptEnds()
        #expect(driver.end == .declined(by: .peer) && driver.summary?.peer == "Bob")
    }

    @Test("The status text during a call to an unknown peer does not claim that a peer was found")
    func blindSentence() {
        let states = Self.blindlyOffering().log.compactMap { action in
            if case .report(.state(let state)) = action { state } else { nil }
        }
        #expect(states.first?.name == "calling")
        #expect(states.first?.sentence == "this server does not report who is present, calling anyway")
    }
}
