import CallTesting
import Testing

/// Simulated conversations with random faults; `CALLRUNNER_SCHEDULES` sets the number of seeds, which start at 0.
@Suite("Two chat clients and the chat server under random faults")
struct ChatScheduleTests {
    @Test("In random schedules, each message is in both histories once and in order, or is shown as not sent")
    func schedules() throws {
        let store = try ChatStore()
        for seed in 0..<(Simulation.schedules < 1000 ? 100 : Simulation.schedules) {
            let problems = try ChatSchedule(seed: seed, store).run()
            #expect(problems == [], "seed \(seed)")
        }
    }
}
