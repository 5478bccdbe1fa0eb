import CallCore
import Testing

/// The rules for rooms whose server sends newcomers no participant list.
@Suite("Call state machine in a silent room")
struct CallStateMachineSilentRoomTests {
    private static func blindlyOffering() -> CallDriver {
        var driver = CallDriver(.caller, .dialBlindly)
        driver.attempt(.offering, .awaitingAnswer)
        return driver
    }

    @Test("A blind offer is repeated under its attempt number when our own socket comes back")
    func blindAgain() {
        var driver = Self.blindlyOffering()
        driver.rejoin()
        #expect(driver.attempts == 1)
        #expect(driver.hear(.roomSilent) == [.forward(.stop)])
        driver.attemptEnds()
        #expect(driver.begun == ["1 blind", "1 blind"])
    }

    @Test("An answered blind offer is not repeated")
    func answered() {
        var driver = Self.blindlyOffering()
        driver.attempt(.connecting)
        driver.rejoin()
        driver.hear(.roomSilent)
        #expect(!driver.log.contains(.forward(.stop)))
    }

    @Test("A peer that joins while a blind attempt is being stopped gets an offer that is not blind")
    func cameMeanwhile() {
        var driver = Self.blindlyOffering()
        driver.rejoin()
        driver.hear(.roomSilent)
        driver.hear(.peerJoined(CallDriver.bob))
        driver.attemptEnds()
        #expect(driver.begun == ["1 blind", "1"])
    }

    @Test(
        "A nameless peer that rejoins during the call is named, and its old socket's leave is ignored"
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

    @Test("A nameless peer that comes back after our own reconnection has one socket")
    func bothRejoined() {
        var driver = CallDriver.connectedCaller(.dialBlindly)
        driver.rejoin()
        driver.hear(.roomSilent)
        driver.hear(.peerJoined(CallDriver.bob))
        #expect(driver.hearLeaving(of: Participant(username: "Bob", role: nil)).contains(.forward(.stop)))
    }

    @Test("A participant of our own role does not name the peer")
    func rival() {
        var driver = CallDriver.connectedCaller(.dialBlindly)
        driver.hear(.peerJoined(Participant(username: "Carl", role: .caller)))
        #expect(driver.hearLeaving(of: CallDriver.bob).contains(.forward(.stop)))
    }

    private static func names(_ actions: [CallAction]) -> [String] {
        actions.compactMap { if case .report(.peer(let name)) = $0 { name } else { nil } }
    }

    @Test("The name of a blindly called peer is learned from its answer and reported once")
    func nameByAnswer() {
        var driver = Self.blindlyOffering()
        driver.handle(.attempt(.sent(.offer, bytes: 1, offerID: "mine")))
        driver.hear(.message(.answer(sdp: CallDriver.sdp("theirs"), offerID: "mine"), from: "Bob"))
        driver.attempt(.connecting, .connected)
        #expect(Self.names(driver.log) == ["Bob"])
    }

    @Test("A peer that sends no name is named by the server when it joins again or leaves")
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

    @Test("A peer that declines a blind offer is named, and the call ends as declined")
    func blindlyDeclined() {
        var driver = Self.blindlyOffering()
        driver.handle(.attempt(.sent(.offer, bytes: 1, offerID: "mine")))
        driver.hear(.message(.hangup(offerID: "mine", reason: "declined"), from: "Bob"))
        driver.attemptEnds()
        #expect(driver.end == .declined(by: .peer) && driver.summary?.peer == "Bob")
    }

    @Test("A blind offer does not claim that a peer was found")
    func blindSentence() {
        let states = Self.blindlyOffering().log.compactMap { action in
            if case .report(.state(let state)) = action { state } else { nil }
        }
        #expect(states.first?.name == "calling")
        #expect(states.first?.sentence == "this server does not report who is present, calling anyway")
    }
}
