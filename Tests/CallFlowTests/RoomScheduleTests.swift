import CallTesting
import Testing

/// Simulations with random faults; their number is a tenth of the variable `CALLRUNNER_SCHEDULES`.
@Suite("A caller and a callee that stay in the room, under random faults")
@MainActor
struct RoomScheduleTests {
    @Test("After the faults, a call connects unless a user ended the last one, and no run ends by itself")
    func schedules() async throws {
        for seed in 0..<max(Simulation.schedules / 10, 1) {
            let problems = await Simulation.run(seed: seed) { clock in
                do { return try await RoomSchedule(seed: seed, clock).run() } catch { return ["\(error)"] }
            }
            #expect(problems == [], "seed \(seed)")
        }
    }
}
