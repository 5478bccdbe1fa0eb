import Basics
import CallCore
import CallTesting
import Testing

@Suite("Call session")
@MainActor
struct CallSessionTests {
    @Test("A call connects, and the caller hangs up after the configured duration", .timeLimit(.minutes(4)))
    func connect() async throws {
        let result = await Simulation.run { clock in
            var bench = CallBench(clock)
            bench.callerOptions.duration = .seconds(10)
            async let callee = bench.call(.callee)
            async let caller = bench.call(.caller)
            return await (caller, callee, bench.leftovers, clock.now.offset)
        }
        let (caller, callee, leftovers, time) = try #require(result)
        #expect(
            caller.states == ["calling", "offering", "awaiting-answer", "connecting", "connected", "ended"]
        )
        #expect(callee.states == ["answering", "connecting", "connected", "ended"])
        #expect(caller.end == .duration(.seconds(10)))
        #expect(callee.end == .peerLeft)
        #expect(leftovers.isEmpty)
        // The callee's call ends half a second after the caller has left.
        #expect(time == .milliseconds(10_000 + 500))
        #expect(caller.outcome?.summary.message == "hung up after 10 s")
        #expect(callee.outcome?.summary.message == "Ann left")
        #expect(callee.outcome?.summary.wasHeld == true)
    }

    @Test("A caller's reports arrive in the expected order", .timeLimit(.minutes(4)))
    func order() async throws {
        let result = await Simulation.run { clock in
            var bench = CallBench(clock)
            bench.callerOptions.duration = .seconds(1)
            async let callee = bench.call(.callee)
            async let caller = bench.call(.caller)
            return await (caller, callee)
        }
        let reports = try #require(result).0.reports
        #expect(
            reports.prefix(7).map { "\($0)".prefix { $0 != "(" } }
                == ["started", "state", "state", "state", "sdpSent", "sdpReceived", "state"]
        )
        #expect(reports.contains(.iceSelected(local: "host", remote: "host", transport: "udp")))
        #expect(reports.contains(.firstFrame(.video, milliseconds: 0)))
        guard case .ended(let summary) = reports.last else {
            Issue.record("the last report is \(String(describing: reports.last))")
            return
        }
        #expect(summary.setup.firstFrame == 0)
        #expect(summary.setup.firstCandidate == 0)
        #expect(summary.setup.answer == 0)
    }

    @Test("The report of the first frame states the same time as the summary", .timeLimit(.minutes(4)))
    func firstFrame() async throws {
        let slow: CallBench.Script = { _ in Self.script { $0.delay = .milliseconds(70) } }
        let result = await Simulation.run { clock in
            var bench = CallBench(clock, caller: slow, callee: slow)
            bench.callerOptions.duration = .seconds(1)
            async let callee = bench.call(.callee)
            async let caller = bench.call(.caller)
            return await (caller, callee)
        }
        let caller = try #require(result).0
        let time = try #require(caller.outcome?.summary.setup.firstFrame)
        #expect(time > 0)
        #expect(caller.reports.contains(.firstFrame(.video, milliseconds: time)))
    }

    private nonisolated static let failures: [(FakeMedia.Script, CallEnd)] = [
        (
            script { $0.makes = .fails(.local(.missingPlugin(["nicesrc"]))) },
            .media(.local(.missingPlugin(["nicesrc"])))
        ),
        (
            script { $0.offers = .fails(.local(.pipeline(element: "a", message: "b"))) },
            .media(.local(.pipeline(element: "a", message: "b")))
        ),
        (script { $0.applies = .fails(.badDescription("x")) }, .media(.badDescription("x"))),
        (script { $0.makes = .hangs }, .timedOut(.media)),
        (script { $0.offers = .hangs }, .timedOut(.media)),
        (script { $0.applies = .hangs }, .timedOut(.description)),
        (script { $0.connects = false }, .timedOut(.media)),
        (script { $0.failure = .iceFailed(detail: "") }, .media(.iceFailed(detail: ""))),
    ]

    private nonisolated static func script(_ change: (inout FakeMedia.Script) -> Void) -> FakeMedia.Script {
        var script = FakeMedia.Script()
        change(&script)
        return script
    }

    @Test(
        "Each kind of media failure ends the call with its reason after the last retry",
        .timeLimit(.minutes(4)),
        arguments: failures
    )
    func fails(script: FakeMedia.Script, end: CallEnd) async throws {
        let result = await Simulation.run { clock in
            var bench = CallBench(clock, caller: { _ in script })
            bench.callerOptions.retries = 1
            async let callee = bench.call(.callee)
            async let caller = bench.call(.caller)
            return await (caller, callee, bench.leftovers)
        }
        let (caller, _, leftovers) = try #require(result)
        #expect(caller.end == end)
        #expect(leftovers.isEmpty)
    }

    @Test("A call connects after failed attempts", .timeLimit(.minutes(4)))
    func secondAttempt() async throws {
        let result = await Simulation.run { clock in
            var bench = CallBench(
                clock,
                caller: { number in Self.script { $0.connects = number > 2 } }
            )
            bench.callerOptions.duration = .seconds(5)
            async let callee = bench.call(.callee)
            async let caller = bench.call(.caller)
            return await (caller, callee, bench.leftovers, clock.now.offset)
        }
        let (caller, callee, leftovers, time) = try #require(result)
        #expect(caller.attempts == 3)
        #expect(callee.attempts == 3)
        #expect(caller.end == .duration(.seconds(5)))
        #expect(leftovers.isEmpty)
        #expect(time == .milliseconds(15_000 + 500 + 15_000 + 5000 + 500))
    }

    @Test("A peer that never answers gets new offers until the ring timeout", .timeLimit(.minutes(4)))
    func unanswered() async throws {
        let result = await Simulation.run { clock in
            let bench = CallBench(clock)
            let deaf = bench.wire.join(Participant(username: "Bob", role: .callee))
            let caller = await bench.call(.caller)
            deaf.leave()
            return (caller, bench.leftovers, clock.now.offset)
        }
        let (caller, leftovers, time) = try #require(result)
        #expect(caller.end == .timedOut(.answer))
        #expect(caller.attempts == 7)
        #expect(time == .seconds(45))
        #expect(leftovers.isEmpty)
    }

    @Test("Unanswered offers count toward a retry limit", .timeLimit(.minutes(4)), arguments: 0...2)
    func budget(retries: Int) async throws {
        let result = await Simulation.run { clock in
            var bench = CallBench(clock)
            bench.callerOptions.retries = retries
            let deaf = bench.wire.join(Participant(username: "Bob", role: .callee))
            let caller = await bench.call(.caller)
            deaf.leave()
            return caller
        }
        let caller = try #require(result)
        #expect(caller.end == .timedOut(.answer))
        #expect(caller.attempts == retries + 1)
    }

    @Test("A media stall leads to a new attempt that connects", .timeLimit(.minutes(4)))
    func stall() async throws {
        let result = await Simulation.run { clock in
            var bench = CallBench(clock)
            bench.callerOptions.duration = .seconds(30)
            async let callee = bench.call(.callee)
            async let caller = bench.call(.caller) { [network = bench.network] report, _ in
                if case .firstFrame = report, clock.now.offset == .zero { network.cut() }
            }
            return await (caller, callee, bench.leftovers)
        }
        let (caller, callee, leftovers) = try #require(result)
        #expect(caller.states.contains("retrying"))
        #expect(caller.attempts == 2)
        #expect(caller.end == .duration(.seconds(30)))
        #expect(callee.end == .peerLeft)
        #expect(leftovers.isEmpty)
    }

    @Test("After a socket loss, a media stall ends the call as if the peer had left", .timeLimit(.minutes(4)))
    func bothLost() async throws {
        let result = await Simulation.run { clock in
            let bench = CallBench(clock)
            async let callee = bench.call(.callee) { [network = bench.network] report, end in
                guard case .firstFrame = report else { return }
                end.lose()
                network.cut()
            }
            async let caller = bench.call(.caller)
            let one = await callee
            return await (caller, one, bench.leftovers)
        }
        let (_, callee, leftovers) = try #require(result)
        #expect(callee.end == .peerLeft)
        #expect(callee.outcome?.summary.wasHeld == true)
        #expect(leftovers.isEmpty)
    }

    @Test("The loss of the signaling socket alone does not end the call", .timeLimit(.minutes(4)))
    func socketLost() async throws {
        let result = await Simulation.run { clock in
            var bench = CallBench(clock)
            bench.callerOptions.duration = .seconds(200)
            bench.calleeOptions.duration = .seconds(201)
            async let callee = bench.call(.callee)
            async let caller = bench.call(.caller) { report, end in
                if report.isConnected { end.lose() }
            }
            return await (caller, callee)
        }
        let (caller, _) = try #require(result)
        #expect(caller.end == .duration(.seconds(200)))
        #expect(caller.attempts == 1)
    }
}
