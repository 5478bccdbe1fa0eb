import CallTesting
import Testing

/// Simulations with random faults; the number of seeds is a tenth of `CALLRUNNER_SCHEDULES`.
@Suite("Two runs that stay in the room, under random faults")
@MainActor
struct RoomScheduleTests {
    @Test("After the faults, both runs are in a call, or wait because a user ended the last call")
    func schedules() async throws {
        for seed in 0..<max(Simulation.schedules / 10, 1) {
            let problems = await Simulation.run(seed: seed) { clock in
                do { return try await RoomSchedule(seed: seed, clock).run() } catch { return ["\(error)"] }
            }
            #expect(problems == [], "seed \(seed)")
        }
    }
}
