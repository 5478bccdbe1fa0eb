import CallTesting
import Testing

/// `CALLRUNNER_SCHEDULES` says how many are tried, from seed 0 on.
@Suite("Two peers, whatever happens to them")
@MainActor
struct CallScheduleTests {
    @Test("Both are connected in the end, or both have ended, and nothing is left open")
    func schedules() async throws {
        for seed in 0..<Simulation.schedules {
            let problems = await Simulation.run(seed: seed) { clock in
                await CallSchedule(seed: seed, clock).run()
            }
            #expect(problems == [], "seed \(seed)")
        }
    }
}
