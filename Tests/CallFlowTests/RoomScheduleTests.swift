import CallTesting
import Testing

/// Random schedules of two runs; their number is a tenth of `CALLRUNNER_SCHEDULES`, from seed 0 on.
@Suite("Two runs that stay in the room, under random faults")
@MainActor
struct RoomScheduleTests {
    @Test("Both runs end up in a call or wait as the user requested, and none ends by itself")
    func schedules() async throws {
        for seed in 0..<max(Simulation.schedules / 10, 1) {
            let problems = await Simulation.run(seed: seed) { clock in
                do { return try await RoomSchedule(seed: seed, clock).run() } catch { return ["\(error)"] }
            }
            #expect(problems == [], "seed \(seed)")
        }
    }
}
