import Basics
import CallCore
import CallTesting
import Testing

/// Calls between two simulated peers, in virtual time, partly with random faults.
@Suite("Calls between two simulated peers")
@MainActor
struct CallSimulationTests {
    private nonisolated static func faultyScript(_ seed: UInt64) -> CallBench.Script {
        { number in
            var random = SeededGenerator(seed: seed &* 31 &+ UInt64(number))
            var script = FakeMedia.Script()
            script.delay = .milliseconds(Int.random(in: 0...300, using: &random))
            switch Int.random(in: 0..<12, using: &random) {
            case 0: script.connects = false
            case 1: script.failure = .iceFailed(detail: "simulated")
            case 2: script.applies = .hangs
            case 3: script.answers = .hangs
            default: break
            }
            return script
        }
    }

    @Test("Under random faults, both sides' calls end and no session stays open", .timeLimit(.minutes(10)))
    func misfortunes() async throws {
        for seed in UInt64(0)..<300 {
            let result = await Simulation.run(seed: seed) { clock in
                var faults = Wire.Faults()
                (faults.loss, faults.duplication, faults.reordering) = (0.05, 0.1, 0.1)
                faults.seed = seed
                var bench = CallBench(
                    clock,
                    wire: Wire(faults: faults, sendsRoomState: seed.isMultiple(of: 2)),
                    caller: Self.faultyScript(seed),
                    callee: Self.faultyScript(seed &+ 7919)
                )
                bench.callerOptions.duration = .seconds(20)
                bench.callerOptions.peerTimeout = .seconds(100)
                bench.calleeOptions.peerTimeout = .seconds(100)
                return await Self.run(bench, SeededGenerator(seed: seed))
            }
            let (caller, callee, leftovers) = try #require(result, "seed \(seed)")
            #expect(leftovers.isEmpty, "seed \(seed)")
            for record in [caller, callee] where !record.reports.isEmpty {
                let ends = record.reports.count { if case .ended = $0 { true } else { false } }
                #expect(ends == 1, "seed \(seed)")
                #expect(record.outcome != nil, "seed \(seed)")
            }
        }
    }

    private nonisolated static func run(
        _ bench: CallBench,
        _ generator: SeededGenerator
    ) async -> (CallBench.Record, CallBench.Record, [String]) {
        await withTaskGroup(of: Void.self) { group in
            let callee = bench.wire.join(Participant(username: "Bob", role: .callee))
            let caller = bench.wire.join(Participant(username: "Ann", role: .caller))
            group.addTask { await bench.network.watch(bench.clock) }
            group.addTask {
                var random = generator
                for _ in 0..<4 {
                    let end = Bool.random(using: &random) ? callee : caller
                    let pause = Duration.milliseconds(Int.random(in: 0...8000, using: &random))
                    guard (try? await bench.clock.sleep(for: pause)) != nil else { return }
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: bench.network.cut()
                    case 1:
                        end.lose()
                        try? await bench.clock.sleep(for: pause)
                        end.recover()
                    default: break
                    }
                }
            }
            async let theirs = left(callee, bench.call(.callee, at: callee))
            async let ours = left(caller, bench.call(.caller, at: caller))
            let records = await (ours, theirs)
            group.cancelAll()
            return (records.0, records.1, bench.leftovers)
        }
    }

    private nonisolated static func left(
        _ end: WireEnd,
        _ call: @autoclosure () async -> CallBench.Record
    ) async -> CallBench.Record {
        let record = await call()
        end.leave()
        return record
    }

    @Test(
        "Without faults, the first attempt connects in any execution order of concurrent jobs",
        .timeLimit(.minutes(10))
    )
    func everyOrder() async throws {
        for seed in UInt64(0)..<200 {
            let result = await Simulation.run(seed: seed) { clock in
                var bench = CallBench(clock, wire: Wire(sendsRoomState: seed.isMultiple(of: 2)))
                bench.callerOptions.duration = .seconds(3)
                async let callee = bench.call(.callee)
                async let caller = bench.call(.caller)
                return await (caller, callee, bench.leftovers, clock.now.offset)
            }
            let (caller, callee, leftovers, time) = try #require(result, "seed \(seed)")
            #expect(caller.end == .duration(.seconds(3)), "seed \(seed)")
            #expect(callee.end == .peerLeft, "seed \(seed)")
            #expect(time == .milliseconds(3500), "seed \(seed)")
            #expect(leftovers.isEmpty, "seed \(seed)")
        }
    }
}
