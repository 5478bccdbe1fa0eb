import CallCore
import Testing

/// The rules by which both sides connect again after media has stalled or failed.
@Suite("Call state machine, recovery")
struct CallStateMachineRecoveryTests {
    private static let silence = RoomEvent.disconnected(reason: "ping timeout", retryIn: 1, isSilent: true)
    private static let joined = RoomEvent.joined(url: "u", transport: "t")

    @Test("A callee whose attempt failed requests a new offer, and does so again after a reconnection")
    func calleeAsks() throws {
        var driver = try CallDriver.callee()
        driver.attempt(.answering, .connecting, .connected)
        #expect(driver.attemptEnds(.stalled).contains(.send(.restart(offerID: "one"))))
        driver.hear(Self.silence)
        #expect(driver.hear(Self.joined).contains(.send(.restart(offerID: "one"))))
        driver.hear(.message(.offer(.init(CallDriver.sdp("two")))))
        #expect(driver.begun == ["1", "2"])
        #expect(!driver.hear(Self.joined).contains(.send(.restart(offerID: "one"))))
    }

    @Test("A callee repeats its request for an offer after 4, 8 and 16 s, then every 30 s, until it gets one")
    func calleeAsksAgain() throws {
        var driver = try CallDriver.callee()
        driver.attempt(.answering, .connecting, .connected)
        driver.attemptEnds(.stalled)
        for span in [4, 8, 16, 30, 30] {
            let timer = try #require(driver.timer(.retry))
            #expect(driver.log.contains(.start(timer, .seconds(span))))
            #expect(driver.handle(.timer(timer)).first == .send(.restart(offerID: "one")))
        }
        driver.hear(.message(.offer(.init(CallDriver.sdp("two")))))
        #expect(driver.handle(.timer(try #require(driver.timer(.retry)))).isEmpty)
    }

    @Test("A callee that gets no new offer ends the call after 30 s or the configured peer timeout")
    func calleeGivesUp() throws {
        for (timeout, span) in [(nil, 30), (.seconds(7), 7)] as [(Duration?, Int)] {
            var driver = try CallDriver.callee { $0.peerTimeout = timeout }
            driver.attempt(.answering, .connecting, .connected)
            driver.attemptEnds(.stalled)
            let timer = try #require(driver.timer(.peer))
            #expect(driver.log.contains(.start(timer, .seconds(span))))
            driver.handle(.timer(timer))
            #expect(driver.end == .peerLeft)
        }
        var early = try CallDriver.callee()
        early.attempt(.answering, .connecting)
        early.attemptEnds(.timedOut(.connection))
        early.handle(.timer(try #require(early.timer(.peer))))
        #expect(early.end == .timedOut(.media))
    }

    @Test("A callee requests no new offer while its call is running or after it has ended")
    func calleeIsContent() throws {
        var driver = try CallDriver.callee()
        driver.attempt(.answering, .connecting, .connected)
        driver.rejoin()
        driver.handle(.command(.hangUp))
        driver.attemptEnds()
        driver.rejoin()
        #expect(!driver.log.contains { if case .send(.restart) = $0 { true } else { false } })
    }

    @Test("A restart request from the peer is forwarded to the running attempt")
    func callerIsAsked() {
        var driver = CallDriver.connectedCaller()
        let forwarded = driver.hear(.message(.restart(offerID: "mine")))
        #expect(forwarded == [.forward(.restartReceived(offerID: "mine"))])
        let actions = driver.attemptEnds(.peerLost)
        #expect(
            actions.contains { if case .start(let timer, _) = $0 { timer.kind == .retry } else { false } }
        )
        driver.hear(.message(.restart(offerID: "mine")))
        #expect(driver.begun == ["1"])
    }

    @Test("Restart requests start up to three retries early, but not the first, until media flows again")
    func earlyAttempts() throws {
        var driver = CallDriver.connectedCaller(.dial(CallDriver.bob)) { $0.retries = -1 }
        for _ in 0..<6 {
            driver.attemptEnds(.peerLost)
            driver.hear(.message(.restart(offerID: "another's")))
            driver.hear(.message(.restart(offerID: "mine")))
            if driver.begun.count == 1 { driver.handle(.timer(try #require(driver.timer(.retry)))) }
        }
        #expect(driver.begun == ["1", "2", "3", "4", "5"])
        driver.handle(.timer(try #require(driver.timer(.retry))))
        driver.attempt(.offering, .awaitingAnswer, .connecting, .connected)
        driver.attemptEnds(.peerLost)
        driver.hear(.message(.restart(offerID: "mine")))
        #expect(driver.begun.count == 6)
    }

    @Test(
        "The retry after a lost local address begins at once, and after a second loss in a row with a delay"
    )
    func lostAddress() throws {
        var driver = CallDriver.connectedCaller()
        #expect(delay(driver.attemptEnds(.addressLost("192.0.2.1"))) == .zero)
        driver.handle(.timer(try #require(driver.timer(.retry))))
        driver.attempt(.offering, .awaitingAnswer, .connecting)
        #expect(delay(driver.attemptEnds(.addressLost("192.0.2.2"))) == .seconds(1))
    }

    @Test("A new local address begins another attempt at once, up to three times, and is not a failure")
    func gainedAddress() throws {
        var driver = CallDriver.connectedCaller()
        driver.attemptEnds(.stalled)
        for _ in 1...3 {
            driver.handle(.timer(try #require(driver.timer(.retry))))
            driver.attempt(.offering, .awaitingAnswer, .connecting)
            #expect(delay(driver.attemptEnds(.addressGained("192.0.2.1"))) == .zero)
        }
        driver.handle(.timer(try #require(driver.timer(.retry))))
        driver.attempt(.offering, .awaitingAnswer, .connecting)
        #expect(delay(driver.attemptEnds(.addressGained("192.0.2.1"))) == .seconds(4))
    }

    @Test("A new local address begins another attempt even if no retries are allowed")
    func gainedAddressWithoutRetries() throws {
        var driver = CallDriver.connectedCaller { $0.retries = 0 }
        #expect(delay(driver.attemptEnds(.addressGained("192.0.2.1"))) == .zero)
        driver.handle(.timer(try #require(driver.timer(.retry))))
        driver.attemptEnds(.failed(.iceFailed(detail: "")))
        #expect(driver.end == .media(.iceFailed(detail: "")))
    }

    @Test("A callee requests a new offer if the offer of its failed attempt is repeated")
    func asksAgain() throws {
        var driver = try CallDriver.callee()
        driver.attempt(.answering, .connecting)
        driver.attemptEnds(.failed(.iceFailed(detail: "")))
        let actions = driver.hear(.message(.offer(.init(CallDriver.sdp("one")))))
        #expect(actions == [.send(.restart(offerID: "one"))])
        #expect(driver.begun == ["1"])
    }

    @Test("A callee requests a new offer if an offer that a late offer had replaced is repeated")
    func overtakenOffer() throws {
        var driver = try CallDriver.callee()
        for offer in ["two", "late"] {
            driver.hear(.message(.offer(.init(CallDriver.sdp(offer)))))
            driver.attemptEnds()
        }
        driver.attempt(.answering, .connecting)
        driver.attemptEnds(.timedOut(.connection))
        let actions = driver.hear(.message(.offer(.init(CallDriver.sdp("two")))))
        #expect(actions == [.send(.restart(offerID: "two"))])
    }

    @Test("The peer timeout ends a call to an unknown peer even between two attempts")
    func blindBetweenAttempts() throws {
        var driver = CallDriver(.caller, .dialBlindly)
        driver.attempt(.offering)
        driver.attemptEnds(.timedOut(.preparation))
        driver.handle(.timer(driver.room.arm(.peer)))
        #expect(driver.end == .timedOut(.peer))
    }

    private func delay(_ actions: [CallAction]) -> Duration? {
        actions.lazy.compactMap { action in
            if case .start(let timer, let span) = action, timer.kind == .retry { span } else { nil }
        }.first
    }

    @Test(
        "After a failed attempt, the server is probed if our socket is connected",
        arguments: Role.allCases
    )
    func probes(role: Role) throws {
        var driver = role == .caller ? CallDriver.connectedCaller() : try CallDriver.callee()
        driver.attempt(.connecting, .connected)
        let isUp = driver.attemptEnds(.stalled).contains(.probe)
        #expect(isUp)
        var lost = role == .caller ? CallDriver.connectedCaller() : try CallDriver.callee()
        lost.attempt(.connecting, .connected)
        lost.hear(Self.silence)
        let isDown = lost.attemptEnds(.stalled).contains(.probe)
        #expect(!isDown)
    }

    @Test("After a media stall, a socket timeout does not end the call, but a close by the server does")
    func silentLoss() throws {
        var silent = CallDriver.connectedCaller()
        silent.attemptEnds(.stalled)
        silent.hear(Self.silence)
        #expect(silent.end == nil)
        silent.handle(.timer(try #require(silent.timer(.retry))))
        #expect(silent.begun == ["1"])
        silent.hear(Self.joined)
        silent.hear(.roomState([CallDriver.bob]))
        #expect(silent.begun == ["1", "2"])

        var ended = CallDriver.connectedCaller()
        ended.attemptEnds(.stalled)
        ended.hear(.disconnected(reason: "transport close", retryIn: 1))
        #expect(ended.end == .peerLeft)
    }

    @Test("After a socket loss other than a timeout, a media stall ends the call", arguments: [false, true])
    func stallsWhileSilent(isSilent: Bool) {
        var driver = CallDriver.connectedCaller()
        driver.hear(.disconnected(reason: "x", retryIn: 1, isSilent: isSilent))
        driver.attemptEnds(.stalled)
        #expect(driver.end == (isSilent ? nil : .peerLeft))
    }

    @Test("After a media stall and a socket timeout, a failed reconnection ends the call")
    func refusedLater() {
        var driver = CallDriver.connectedCaller()
        driver.attemptEnds(.stalled)
        driver.hear(Self.silence)
        driver.hear(.disconnected(reason: "transport error", retryIn: 1))
        #expect(driver.end == .peerLeft)
    }

    @Test("A media stall and a socket timeout, in either order, end the call after 30 s")
    func toleratesSilence() throws {
        for isSocketFirst in [false, true] {
            var driver = CallDriver.connectedCaller()
            if isSocketFirst { driver.hear(Self.silence) }
            driver.attemptEnds(.stalled)
            if !isSocketFirst { driver.hear(Self.silence) }
            let limit = driver.log.lazy.compactMap { action in
                if case .start(let timer, let span) = action, timer.kind == .silence { span } else { nil }
            }.first
            #expect(limit == .seconds(30))
            driver.handle(.timer(try #require(driver.timer(.silence))))
            #expect(driver.end == .peerLeft)
        }
    }
}
