import CallTesting
import Testing

/// Simulated calls with random faults; `CALLRUNNER_SCHEDULES` sets the number of seeds, which start at 0.
@Suite("Two peers under random faults")
@MainActor
struct CallScheduleTests {
    @Test("After the faults, both peers are connected or both have ended, and no session is left open")
    func schedules() async throws {
        for seed in 0..<Simulation.schedules {
            let problems = await Simulation.run(seed: seed) { clock in
                await CallSchedule(seed: seed, clock).run()
            }
            #expect(problems == [], "seed \(seed)")
        }
    }
}
