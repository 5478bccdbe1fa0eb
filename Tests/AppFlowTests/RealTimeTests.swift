import AppFlow
import CallCore
import CallTesting
import Testing

/// Runs on real threads with the system's clock, which show races that a simulation cannot show.
@Suite("Runs in real time")
struct RealTimeTests {
    @Test("Forty simultaneous calls connect and end, and leave no session open", .timeLimit(.minutes(4)))
    func many() async throws {
        try await withThrowingTaskGroup(of: (FlowRecord, FlowRecord, Int).self) { group in
            for _ in 0..<40 {
                group.addTask {
                    let bench = FlowBench(ContinuousClock())
                    let (ours, theirs) = (bench.media(.caller), bench.media(.callee))
                    async let callee = bench.run(try bench.plan(.callee), media: theirs)
                    async let caller = bench.run(
                        try bench.plan(.caller) { $0.options.duration = .milliseconds(20) },
                        media: ours
                    )
                    return try await (caller, callee, ours.open + theirs.open)
                }
            }
            for try await (caller, callee, open) in group {
                #expect(caller.ends == [.duration(.milliseconds(20))])
                #expect(callee.ends == [.peerLeft])
                #expect(open == 0)
            }
        }
    }

    @Test("A cancelled run ends and leaves no session open", .timeLimit(.minutes(4)), arguments: 0...20)
    func cancelled(tenths: Int) async throws {
        let bench = FlowBench(ContinuousClock())
        let (ours, theirs) = (bench.media(.caller), bench.media(.callee))
        let plans = (try bench.plan(.caller), try bench.plan(.callee))
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                _ = await bench.run(plans.0, media: ours)
                return false
            }
            group.addTask {
                _ = await bench.run(plans.1, media: theirs)
                return false
            }
            group.addTask {
                try? await bench.clock.sleep(for: .microseconds(tenths * 100))
                return true
            }
            while let isTime = await group.next(), !isTime {}
            group.cancelAll()
        }
        #expect(ours.open + theirs.open == 0)
        #expect(bench.wire.participants.isEmpty)
    }
}
