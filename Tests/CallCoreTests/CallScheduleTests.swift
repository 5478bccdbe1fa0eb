import CallTesting
import Testing

/// Random schedules of two peers; `CALLRUNNER_SCHEDULES` sets their number, from seed 0 on.
@Suite("Two peers under random faults")
@MainActor
struct CallScheduleTests {
    @Test("Both peers end up connected or both have ended, and nothing is left open")
    func schedules() async throws {
        for seed in 0..<Simulation.schedules {
            let problems = await Simulation.run(seed: seed) { clock in
                await CallSchedule(seed: seed, clock).run()
            }
            #expect(problems == [], "seed \(seed)")
        }
    }
}
