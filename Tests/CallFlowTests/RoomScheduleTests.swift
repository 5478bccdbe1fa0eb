import CallTesting
import Testing

/// A tenth of what `CALLRUNNER_SCHEDULES` says is tried, from seed 0 on.
@Suite("Two runs that stay, whatever happens to them")
@MainActor
struct RoomScheduleTests {
    @Test("Both are in a call in the end, or wait as a person wanted, and only who is dismissed ends")
    func schedules() async throws {
        for seed in 0..<max(Simulation.schedules / 10, 1) {
            let problems = await Simulation.run(seed: seed) { clock in
                do { return try await RoomSchedule(seed: seed, clock).run() } catch { return ["\(error)"] }
            }
            #expect(problems == [], "seed \(seed)")
        }
    }
}
