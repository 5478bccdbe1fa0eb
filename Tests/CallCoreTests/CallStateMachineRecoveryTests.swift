import CallCore
import Testing

/// The rules by which both sides find each other again once media is down.
@Suite("Call state machine, recovery")
struct CallStateMachineRecoveryTests {
    private static let silence = RoomEvent.disconnected(reason: "ping timeout", retryIn: 1, isSilent: true)
    private static let joined = RoomEvent.joined(url: "u", transport: "t")

    @Test("A callee whose attempt failed requests another offer, and again on its next socket")
    func calleeAsks() throws {
        var stage = try CourseStage.callee()
        stage.attempt(.answering, .connecting, .connected)
        #expect(stage.attemptEnds(.stalled).contains(.send(.restart(offerID: "one"))))
        stage.hear(Self.silence)
        #expect(stage.hear(Self.joined).contains(.send(.restart(offerID: "one"))))
        stage.hear(.message(.offer(sdp: CourseStage.sdp("two"))))
        #expect(stage.begun == ["1", "2"])
        #expect(!stage.hear(Self.joined).contains(.send(.restart(offerID: "one"))))
    }

    @Test("A callee repeats its request after 4, 8 and 16 s and then every 30 s, until an offer comes")
    func calleeAsksAgain() throws {
        var stage = try CourseStage.callee()
        stage.attempt(.answering, .connecting, .connected)
        stage.attemptEnds(.stalled)
        for span in [4, 8, 16, 30, 30] {
            let timer = try #require(stage.timer(.retry))
            #expect(stage.log.contains(.start(timer, .seconds(span))))
            #expect(stage.handle(.timer(timer)).first == .send(.restart(offerID: "one")))
        }
        stage.hear(.message(.offer(sdp: CourseStage.sdp("two"))))
        #expect(stage.handle(.timer(try #require(stage.timer(.retry)))).isEmpty)
    }

    @Test("A callee waits for 30 s or `peerTimeout`; then the peer has left, or media has timed out")
    func calleeGivesUp() throws {
        for (patience, span) in [(nil, 30), (.seconds(7), 7)] as [(Duration?, Int)] {
            var stage = try CourseStage.callee { $0.peerTimeout = patience }
            stage.attempt(.answering, .connecting, .connected)
            stage.attemptEnds(.stalled)
            let timer = try #require(stage.timer(.peer))
            #expect(stage.log.contains(.start(timer, .seconds(span))))
            stage.handle(.timer(timer))
            #expect(stage.end == .peerLeft)
        }
        var early = try CourseStage.callee()
        early.attempt(.answering, .connecting)
        early.attemptEnds(.timedOut(.connection))
        early.handle(.timer(try #require(early.timer(.peer))))
        #expect(early.end == .timedOut(.media))
    }

    @Test("A callee whose call is running or over requests nothing")
    func calleeIsContent() throws {
        var stage = try CourseStage.callee()
        stage.attempt(.answering, .connecting, .connected)
        stage.rejoin()
        stage.handle(.command(.hangUp))
        stage.attemptEnds()
        stage.rejoin()
        #expect(!stage.log.contains { if case .send(.restart) = $0 { true } else { false } })
    }

    @Test("A restart request of the peer reaches the running attempt")
    func callerIsAsked() {
        var stage = CourseStage.connectedCaller()
        let told = stage.hear(.message(.restart(offerID: "mine")))
        #expect(told == [.tell(.restartReceived(offerID: "mine"))])
        let actions = stage.attemptEnds(.peerLost)
        #expect(
            actions.contains { if case .start(let timer, _) = $0 { timer.kind == .retry } else { false } }
        )
        stage.hear(.message(.restart(offerID: "mine")))
        #expect(stage.begun == ["1"])
    }

    @Test("A restart request shortens every delay but the first, three times until media flows")
    func hurries() throws {
        var stage = CourseStage.connectedCaller(.dial(CourseStage.bob)) { $0.retries = -1 }
        for _ in 0..<6 {
            stage.attemptEnds(.peerLost)
            stage.hear(.message(.restart(offerID: "another's")))
            stage.hear(.message(.restart(offerID: "mine")))
            if stage.begun.count == 1 { stage.handle(.timer(try #require(stage.timer(.retry)))) }
        }
        #expect(stage.begun == ["1", "2", "3", "4", "5"])
        stage.handle(.timer(try #require(stage.timer(.retry))))
        stage.attempt(.offering, .awaitingAnswer, .connecting, .connected)
        stage.attemptEnds(.peerLost)
        stage.hear(.message(.restart(offerID: "mine")))
        #expect(stage.begun.count == 6)
    }

    @Test("The attempt after a lost address begins at once, later ones after a delay")
    func lostAddress() throws {
        var stage = CourseStage.connectedCaller()
        #expect(delay(stage.attemptEnds(.addressLost("192.0.2.1"))) == .zero)
        stage.handle(.timer(try #require(stage.timer(.retry))))
        stage.attempt(.offering, .awaitingAnswer, .connecting)
        #expect(delay(stage.attemptEnds(.addressLost("192.0.2.2"))) == .seconds(1))
    }

    @Test("A new address begins the next attempt at once, three times, and is not a failure until then")
    func gainedAddress() throws {
        var stage = CourseStage.connectedCaller()
        stage.attemptEnds(.stalled)
        for _ in 1...3 {
            stage.handle(.timer(try #require(stage.timer(.retry))))
            stage.attempt(.offering, .awaitingAnswer, .connecting)
            #expect(delay(stage.attemptEnds(.addressGained("192.0.2.1"))) == .zero)
        }
        stage.handle(.timer(try #require(stage.timer(.retry))))
        stage.attempt(.offering, .awaitingAnswer, .connecting)
        #expect(delay(stage.attemptEnds(.addressGained("192.0.2.1"))) == .seconds(4))
    }

    @Test("Without retries, a new address does not end the call")
    func gainedAddressWithoutRetries() throws {
        var stage = CourseStage.connectedCaller { $0.retries = 0 }
        #expect(delay(stage.attemptEnds(.addressGained("192.0.2.1"))) == .zero)
        stage.handle(.timer(try #require(stage.timer(.retry))))
        stage.attemptEnds(.failed(.iceFailed(detail: "")))
        #expect(stage.end == .media(.iceFailed(detail: "")))
    }

    @Test("A repeated offer whose attempt failed is answered by requesting another one")
    func asksAgain() throws {
        var stage = try CourseStage.callee()
        stage.attempt(.answering, .connecting)
        stage.attemptEnds(.failed(.iceFailed(detail: "")))
        let actions = stage.hear(.message(.offer(sdp: CourseStage.sdp("one"))))
        #expect(actions == [.send(.restart(offerID: "one"))])
        #expect(stage.begun == ["1"])
    }

    @Test("An offer displaced by a late older one is answered by requesting another one")
    func overtakenOffer() throws {
        var stage = try CourseStage.callee()
        for offer in ["two", "late"] {
            stage.hear(.message(.offer(sdp: CourseStage.sdp(offer))))
            stage.attemptEnds()
        }
        stage.attempt(.answering, .connecting)
        stage.attemptEnds(.timedOut(.connection))
        let actions = stage.hear(.message(.offer(sdp: CourseStage.sdp("two"))))
        #expect(actions == [.send(.restart(offerID: "two"))])
    }

    @Test("A blind caller also gives up between two attempts")
    func blindBetweenAttempts() throws {
        var stage = CourseStage(.caller, .dialBlindly)
        stage.attempt(.offering)
        stage.attemptEnds(.timedOut(.preparation))
        stage.handle(.timer(stage.room.arm(.peer)))
        #expect(stage.end == .timedOut(.peer))
    }

    private func delay(_ actions: [CallAction]) -> Duration? {
        actions.lazy.compactMap { action in
            if case .start(let timer, let span) = action, timer.kind == .retry { span } else { nil }
        }.first
    }

    @Test(
        "A failed attempt probes the server if our socket is connected",
        arguments: Role.allCases
    )
    func probes(role: Role) throws {
        var stage = role == .caller ? CourseStage.connectedCaller() : try CourseStage.callee()
        stage.attempt(.connecting, .connected)
        let isUp = stage.attemptEnds(.stalled).contains(.probe)
        #expect(isUp)
        var lost = role == .caller ? CourseStage.connectedCaller() : try CourseStage.callee()
        lost.attempt(.connecting, .connected)
        lost.hear(Self.silence)
        let isDown = lost.attemptEnds(.stalled).contains(.probe)
        #expect(!isDown)
    }

    @Test("A silent loss of the socket does not end the call, a close by the server does")
    func silentLoss() throws {
        var silent = CourseStage.connectedCaller()
        silent.attemptEnds(.stalled)
        silent.hear(Self.silence)
        #expect(silent.end == nil)
        silent.handle(.timer(try #require(silent.timer(.retry))))
        #expect(silent.begun == ["1"])
        silent.hear(Self.joined)
        silent.hear(.roomState([CourseStage.bob]))
        #expect(silent.begun == ["1", "2"])

        var ended = CourseStage.connectedCaller()
        ended.attemptEnds(.stalled)
        ended.hear(.disconnected(reason: "transport close", retryIn: 1))
        #expect(ended.end == .peerLeft)
    }

    @Test("A stall after a socket loss ends the call unless the loss was silent", arguments: [false, true])
    func stallsWhileSilent(isSilent: Bool) {
        var stage = CourseStage.connectedCaller()
        stage.hear(.disconnected(reason: "x", retryIn: 1, isSilent: isSilent))
        stage.attemptEnds(.stalled)
        #expect(stage.end == (isSilent ? nil : .peerLeft))
    }

    @Test("A silent loss that turns out to be the end of the server ends the call")
    func refusedLater() {
        var stage = CourseStage.connectedCaller()
        stage.attemptEnds(.stalled)
        stage.hear(Self.silence)
        stage.hear(.disconnected(reason: "transport error", retryIn: 1))
        #expect(stage.end == .peerLeft)
    }

    @Test("Media and a silently lost socket may both be down for half a minute, in either order")
    func bearsSilence() throws {
        for isSocketFirst in [false, true] {
            var stage = CourseStage.connectedCaller()
            if isSocketFirst { stage.hear(Self.silence) }
            stage.attemptEnds(.stalled)
            if !isSocketFirst { stage.hear(Self.silence) }
            let limit = stage.log.lazy.compactMap { action in
                if case .start(let timer, let span) = action, timer.kind == .silence { span } else { nil }
            }.first
            #expect(limit == .seconds(30))
            stage.handle(.timer(try #require(stage.timer(.silence))))
            #expect(stage.end == .peerLeft)
        }
    }
}
