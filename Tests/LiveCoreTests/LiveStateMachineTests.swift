import Basics
import LiveCore
import Testing

@Suite("The state machine of a player")
struct LiveStateMachineTests {
    private typealias Machine = LiveStateMachine

    private static let address = LiveAddress.url("http://h/a.m3u8")
    private static let other = LiveAddress.url("http://h/b.m3u8")
    private static let live = LiveFormat(
        resolution: Resolution(width: 64, height: 36),
        codec: "H264",
        isLive: true
    )
    private static let film = LiveFormat(
        resolution: Resolution(width: 64, height: 36),
        codec: "H264",
        isLive: false
    )
    private static let lost = LiveFailure(.unreachable, "lost")

    /// A machine with the effects that it has returned.
    private struct Bench {
        var machine = Machine()
        var effects: [Machine.Effect] = []

        var state: LiveState { machine.playback.state }

        mutating func send(_ command: LivePlayerCommand) { handle(.command(command)) }

        mutating func handle(_ input: Machine.Input) {
            let new = machine.handle(input)
            for case .open(_, _, let number) in new { session = number }
            effects += new
        }

        mutating func event(_ event: LiveStreamEvent) { handle(.event(event, session: session)) }

        /// The number of the newest session.
        private(set) var session = 0

        var opened: Int { effects.count { if case .open = $0 { true } else { false } } }

        var reports: [LiveEvent] {
            effects.compactMap { if case .report(let event) = $0 { event } else { nil } }
        }

        /// Lets the newest deadline of a kind expire.
        mutating func expire(_ deadline: Machine.Deadline) {
            let serials = effects.compactMap { effect -> Int? in
                if case .startDeadline(deadline, _, let serial) = effect { serial } else { nil }
            }
            if let serial = serials.last { handle(.deadline(deadline, serial: serial)) }
        }

        func span(_ deadline: Machine.Deadline) -> Duration? {
            effects.compactMap { effect -> Duration? in
                if case .startDeadline(deadline, let span, _) = effect { span } else { nil }
            }.last
        }
    }

    private func playing(_ format: LiveFormat = live) -> Bench {
        var bench = Bench()
        bench.send(.select(Self.address))
        bench.handle(.opened(session: bench.session))
        bench.event(.started(format))
        return bench
    }

    @Test("A selected stream is opened, and plays once its first frame arrives")
    func start() {
        var bench = Bench()
        #expect(bench.state == .empty)
        bench.send(.select(Self.address))
        #expect(bench.state == .loading)
        bench.handle(.opened(session: bench.session))
        bench.event(.started(Self.film))
        #expect(bench.state == .playing)
        #expect(bench.machine.playback.format == Self.film)
        #expect(bench.reports == [.loading(Self.address), .playing(Self.film, latency: nil)])
        #expect(bench.opened == 1)
    }

    @Test("The first frame of a live stream causes a seek to the live edge, and that of a file does not")
    func liveEdge() {
        #expect(playing(Self.live).effects.contains(.seek(.liveEdge)))
        #expect(!playing(Self.film).effects.contains(.seek(.liveEdge)))
    }

    @Test("A lost file resumes at its position, and starts over after its end or another selection")
    func resumption() {
        let seek = Machine.Effect.seek(.position(.seconds(42)))
        func lost() -> Bench {
            var bench = playing(Self.film)
            bench.event(.progress(LiveProgress(position: .seconds(42))))
            bench.event(.failed(Self.lost))
            bench.expire(.retry)
            return bench
        }
        var bench = lost()
        #expect(!bench.effects.contains(seek))
        // Not even the next attempt may succeed.
        bench.handle(.refused(Self.lost, session: bench.session))
        bench.expire(.retry)
        bench.event(.started(Self.film))
        #expect(bench.effects.filter { $0 == seek }.count == 1)
        // A loss before the place was reached does not change it.
        bench.event(.progress(LiveProgress(position: .milliseconds(100))))
        bench.event(.failed(Self.lost))
        bench.expire(.retry)
        bench.event(.started(Self.film))
        #expect(bench.effects.filter { $0 == seek }.count == 2)
        bench.event(.progress(LiveProgress(position: .seconds(43))))
        bench.event(.ended)
        bench.send(.play)
        bench.handle(.refused(Self.lost, session: bench.session))
        bench.expire(.retry)
        bench.event(.started(Self.film))
        #expect(bench.effects.count { if case .seek = $0 { true } else { false } } == 2)
        bench = lost()
        bench.send(.select(Self.other))
        bench.event(.started(Self.film))
        #expect(!bench.effects.contains(seek))
        // A live stream has gone on meanwhile.
        bench = playing(Self.live)
        bench.event(.progress(LiveProgress(position: .seconds(42))))
        bench.event(.failed(Self.lost))
        bench.expire(.retry)
        bench.event(.started(Self.live))
        #expect(!bench.effects.contains(seek))
    }

    @Test("Only a different loudspeaker reopens the stream, and a file continues at its position")
    func loudspeaker() {
        var bench = playing(Self.film)
        bench.event(.progress(LiveProgress(position: .seconds(7))))
        bench.send(.setSpeaker("ear"))
        #expect(bench.opened == 2 && bench.state == .loading)
        bench.send(.setSpeaker("ear"))
        #expect(bench.opened == 2)
        bench.event(.started(Self.film))
        #expect(bench.effects.contains(.seek(.position(.seconds(7)))))
        bench.send(.pause)
        bench.send(.setSpeaker(nil))
        bench.event(.started(Self.film))
        #expect(bench.opened == 3 && bench.state == .paused)
    }

    @Test("Selecting another stream closes the current one, whose later events are ignored")
    func otherSelection() {
        var bench = playing()
        let before = bench.session
        bench.send(.select(Self.other))
        #expect(bench.state == .loading)
        #expect(bench.effects.suffix(4).first == .close)
        for input in [
            Machine.Input.event(.failed(Self.lost), session: before), .refused(Self.lost, session: before),
            .event(.ended, session: before), .opened(session: before),
        ] {
            bench.handle(input)
            #expect(bench.state == .loading)
        }
        bench.send(.select(nil))
        #expect(bench.state == .empty)
        #expect(bench.effects.last == .close)
        #expect(!bench.machine.isOpen)
    }

    @Test("Selecting the open stream again has no effect")
    func sameSelection() {
        var bench = playing()
        bench.send(.select(Self.address))
        #expect(bench.state == .playing)
        #expect(bench.opened == 1)
    }

    @Test("Lost streams are reopened after increasing delays up to 15 s, which restart after steady playback")
    func waits() {
        var bench = playing()
        for wait in Machine.waits + [.seconds(15)] {
            bench.event(.failed(Self.lost))
            #expect(bench.state == .offline(Self.lost, retryIn: wait))
            bench.expire(.retry)
            #expect(bench.state == .offline(Self.lost, retryIn: nil))
        }
        bench.event(.started(Self.live))
        #expect(bench.state == .playing)
        bench.expire(.steady)
        bench.event(.failed(Self.lost))
        #expect(bench.state == .offline(Self.lost, retryIn: .seconds(1)))
    }

    @Test("A network change triggers a pending retry at once, and otherwise has no effect")
    func network() {
        var bench = playing()
        bench.handle(.networkChanged)
        #expect(bench.opened == 1)
        bench.event(.failed(Self.lost))
        bench.handle(.networkChanged)
        #expect(bench.opened == 2)
        bench.handle(.networkChanged)
        #expect(bench.opened == 2)
        // The deadline of the retry comes late and has no effect.
        bench.expire(.retry)
        #expect(bench.opened == 2)
    }

    @Test("A stream that is not live is polled every five seconds and reported once")
    func notLive() {
        let failure = LiveFailure(.notLive, "412")
        var bench = Bench()
        bench.send(.select(Self.address))
        for _ in 0..<5 {
            bench.handle(.refused(failure, session: bench.session))
            #expect(bench.state == .notLive(failure))
            #expect(bench.span(.retry) == .seconds(5))
            bench.expire(.retry)
            #expect(bench.state == .notLive(failure))
        }
        #expect(bench.reports == [.loading(Self.address), .notLive(failure)])
        bench.event(.started(Self.live))
        #expect(bench.state == .playing)
    }

    @Test("A live stream that has disappeared is polled every two seconds at first, then every five")
    func notLiveAnyMore() {
        let failure = LiveFailure(.notLive, "404")
        var bench = playing()
        bench.event(.failed(failure))
        for _ in 1..<Machine.quickPolls {
            #expect(bench.span(.retry) == .seconds(2))
            bench.expire(.retry)
            bench.handle(.refused(failure, session: bench.session))
        }
        bench.expire(.retry)
        bench.handle(.refused(failure, session: bench.session))
        #expect(bench.span(.retry) == .seconds(5))
        bench.expire(.retry)
        bench.event(.started(Self.live))
        bench.event(.failed(failure))
        #expect(bench.span(.retry) == .seconds(2))
    }

    @Test("The user can retry after any failure, even a final one", arguments: LiveFailure.Reason.allCases)
    func hopeless(reason: LiveFailure.Reason) {
        let failure = LiveFailure(reason, "x")
        var bench = playing()
        bench.event(.failed(failure))
        switch failure.remedy {
        case .retry: #expect(bench.state == .offline(failure, retryIn: .seconds(1)))
        case .poll: #expect(bench.state == .notLive(failure))
        case .none: #expect(bench.state == .failed(failure))
        }
        #expect(!bench.machine.isOpen)
        bench.send(.retry)
        #expect(bench.state == .loading)
        #expect(bench.opened == 2)
    }

    @Test(
        "A damaged stream fails after three retries, not counting other losses, and a damaged file fails at once"
    )
    func damage() {
        let damage = LiveFailure(.damaged, "x")
        var bench = playing()
        for _ in 0..<5 {
            bench.event(.failed(Self.lost))
            bench.expire(.retry)
        }
        for _ in 0..<Machine.damageRetries {
            bench.event(.failed(damage))
            bench.expire(.retry)
        }
        bench.event(.failed(damage))
        #expect(bench.state == .failed(damage))
        bench.send(.select(.file("a.mp4")))
        bench.handle(.refused(damage, session: bench.session))
        #expect(bench.state == .failed(damage))
    }

    @Test("A stream without a first frame within 15 s counts as lost")
    func startLimit() {
        var bench = Bench()
        bench.send(.select(Self.address))
        #expect(bench.span(.start) == .seconds(15))
        bench.expire(.start)
        guard case .offline(let failure, _?) = bench.state else {
            Issue.record("state \(bench.state)")
            return
        }
        #expect(failure.reason == .timedOut)
    }

    @Test("A stalled stream is buffering, and counts as lost after 20 s")
    func stall() {
        var bench = playing()
        bench.event(.stalled)
        #expect(bench.state == .buffering)
        bench.event(.resumed)
        #expect(bench.state == .playing)
        bench.expire(.stall)
        #expect(bench.state == .playing)
        bench.event(.stalled)
        bench.expire(.stall)
        guard case .offline = bench.state else {
            Issue.record("state \(bench.state)")
            return
        }
        #expect(bench.reports.contains(.buffering))
    }

    @Test("A paused live stream with a short window resumes at the live edge")
    func pause() {
        var bench = playing()
        bench.send(.pause)
        #expect(bench.state == .paused)
        #expect(bench.effects.contains(.apply(LiveOptions(isPaused: true))))
        bench.event(.stalled)
        #expect(bench.state == .paused)
        bench.effects = []
        bench.send(.play)
        #expect(bench.state == .playing)
        #expect(
            bench.effects == [
                .apply(LiveOptions()), .seek(.liveEdge), .report(.playing(Self.live, latency: nil)),
            ]
        )
    }

    @Test("A pause while the stream is loading takes effect with the first frame")
    func earlyPause() {
        var bench = Bench()
        bench.send(.select(Self.address))
        bench.send(.pause)
        #expect(bench.state == .loading)
        bench.handle(.opened(session: bench.session))
        #expect(bench.effects.last == .apply(LiveOptions(isPaused: true)))
        bench.effects = []
        bench.event(.started(Self.live))
        #expect(bench.state == .paused)
        #expect(bench.effects.contains(.apply(LiveOptions(isPaused: true))))
        #expect(!bench.effects.contains(.seek(.liveEdge)))
    }

    @Test("Seeking back in a live stream disables skipping to the live edge")
    func goingBack() {
        var bench = playing()
        bench.send(.seek(.position(.zero)))
        bench.effects = []
        let progress = LiveProgress(behind: .seconds(60), segment: .seconds(1))
        bench.event(.progress(progress))
        #expect(bench.effects == [])
        bench.send(.seek(.liveEdge))
        bench.event(.progress(progress))
        #expect(bench.effects == [.seek(.liveEdge), .seek(.liveEdge), .report(.skippedAhead(.seconds(60)))])
    }

    @Test("A player more than six segments behind skips to the live edge once, and again after catching up")
    func skippingAhead() {
        var bench = playing()
        bench.effects = []
        func progress(_ behind: Duration) -> LiveStreamEvent {
            .progress(LiveProgress(behind: behind, segment: .seconds(1)))
        }
        bench.event(progress(.seconds(6)))
        #expect(bench.effects == [])
        for _ in 0..<3 { bench.event(progress(.seconds(7))) }
        #expect(bench.effects == [.seek(.liveEdge), .report(.skippedAhead(.seconds(7)))])
        bench.event(progress(.seconds(2)))
        bench.event(progress(.seconds(8)))
        #expect(bench.reports.count == 2)
    }

    @Test("A stream that has ended can be played again")
    func end() {
        var bench = playing(Self.film)
        bench.event(.looped)
        bench.event(.ended)
        #expect(bench.state == .ended)
        #expect(!bench.machine.isOpen)
        bench.send(.play)
        #expect(bench.state == .loading)
        #expect(bench.reports.suffix(3) == [.looped, .ended, .loading(Self.address)])
    }

    @Test("Volume, loudspeaker and looping that are set before a stream opens are applied when it opens")
    func options() {
        var bench = Bench()
        bench.send(.setAudio(LiveAudio(volume: 50, isMuted: true)))
        bench.send(.setLoops(false))
        bench.send(.setSpeaker("ear"))
        #expect(bench.effects == [])
        bench.send(.select(Self.address))
        var options = LiveOptions(audio: LiveAudio(volume: 50, isMuted: true), loops: false)
        options.speaker = "ear"
        #expect(bench.effects.first == .open(Self.address, options, session: 1))
        bench.send(.seek(.liveEdge))
        #expect(!bench.effects.contains(.seek(.liveEdge)))
    }

    @Test("For 20,000 random inputs, the stream is open exactly in the states that need it")
    func randomInputs() {
        var random = SeededGenerator(seed: 1)
        var bench = Bench()
        let failures = LiveFailure.Reason.allCases.map { LiveFailure($0, "x") }
        let commands: [LivePlayerCommand] = [
            .select(Self.address), .select(Self.other), .select(nil), .play, .pause, .retry, .seek(.liveEdge),
            .setLoops(false), .setLoops(true),
        ]
        for _ in 0..<20_000 {
            let session = bench.session - Int.random(in: 0...1, using: &random)
            let failure = failures.randomElement(using: &random) ?? Self.lost
            let events: [LiveStreamEvent] = [
                .started(Self.live), .started(Self.film), .stalled, .resumed, .ended, .looped,
                .failed(failure),
                .progress(LiveProgress(behind: .seconds(9), segment: .seconds(1))), .changed(Self.film),
            ]
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bench.send(commands.randomElement(using: &random) ?? .play)
            case 1: bench.handle(.opened(session: session))
            case 2: bench.handle(.refused(failure, session: session))
            case 3: bench.handle(.networkChanged)
            case 4: bench.expire([.start, .stall, .retry, .steady].randomElement(using: &random) ?? .retry)
            default: bench.handle(.event(events.randomElement(using: &random) ?? .ended, session: session))
            }
            let mayBeOpen =
                switch bench.state {
                case .loading, .playing, .paused, .buffering, .offline(_, retryIn: nil): true
                case .empty, .ended, .failed, .offline: false
                case .notLive: bench.machine.isOpen
                }
            #expect(bench.machine.isOpen == mayBeOpen)
            // The newest effects suffice to find the newest deadlines.
            bench.effects = Array(bench.effects.suffix(200))
        }
    }
}
